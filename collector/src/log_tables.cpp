// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/log_tables.h"

namespace riffle::collector {

namespace {

using wire::ChunkType;
using wire::Field;

constexpr auto kDelta = wire::Encoding::Delta;
constexpr auto kPlain = wire::Encoding::Plain;
constexpr auto kDoubles = wire::Encoding::Doubles;

} // namespace

LogTables::LogTables()
    : clocks(ChunkType::Clocks, {{Field::Time, kDelta}, {Field::Realtime, kDelta}, {Field::Boottime, kDelta}})
    , ranges(ChunkType::Ranges, {{Field::Thread, kDelta},
                                 {Field::Start, kDelta},
                                 {Field::Duration, kPlain},
                                 {Field::Name, kDelta},
                                 {Field::Category, kDelta},
                                 {Field::Domain, kDelta},
                                 {Field::PayloadKind, kDelta},
                                 {Field::Payload, kDelta},
                                 {Field::Color, kDelta},
                                 {Field::Sequence, kDelta},
                                 {Field::OperatorId, kDelta},
                                 {Field::Shapes, kDelta},
                                 {Field::Stack, kPlain},
                                 {Field::ForwardThread, kDelta},
                                 {Field::Types, kDelta},
                                 {Field::Strides, kDelta},
                                 {Field::Values, kDelta},
                                 {Field::Collective, kDelta},
                                 {Field::CollectiveSequence, kDelta}})
    , marks(ChunkType::Marks, {{Field::Thread, kDelta},
                               {Field::Time, kDelta},
                               {Field::Name, kDelta},
                               {Field::Category, kDelta},
                               {Field::Domain, kDelta},
                               {Field::PayloadKind, kDelta},
                               {Field::Payload, kDelta}})
    , counters(ChunkType::Counters,
               {{Field::Time, kDelta}, {Field::Name, kDelta}, {Field::Series, kDelta}, {Field::Number, kDoubles}})
    , kernels(ChunkType::Kernels, {{Field::Start, kDelta},
                                   {Field::Duration, kPlain},
                                   {Field::Name, kDelta},
                                   {Field::Device, kDelta},
                                   {Field::Context, kDelta},
                                   {Field::Stream, kDelta},
                                   {Field::Correlation, kDelta},
                                   {Field::GridX, kDelta},
                                   {Field::GridY, kDelta},
                                   {Field::GridZ, kDelta},
                                   {Field::BlockX, kDelta},
                                   {Field::BlockY, kDelta},
                                   {Field::BlockZ, kDelta},
                                   {Field::Registers, kDelta},
                                   {Field::SharedMemory, kDelta},
                                   {Field::GraphId, kDelta},
                                   {Field::GraphNode, kDelta},
                                   {Field::Queued, kDelta},
                                   {Field::Submitted, kDelta}})
    , copies(ChunkType::Copies, {{Field::Start, kDelta},
                                 {Field::Duration, kPlain},
                                 {Field::Name, kDelta},
                                 {Field::Device, kDelta},
                                 {Field::Context, kDelta},
                                 {Field::Stream, kDelta},
                                 {Field::Correlation, kDelta},
                                 {Field::Bytes, kDelta},
                                 {Field::GraphId, kDelta},
                                 {Field::GraphNode, kDelta}})
    , calls(ChunkType::Calls, {{Field::Thread, kDelta},
                               {Field::Start, kDelta},
                               {Field::Duration, kPlain},
                               {Field::Name, kDelta},
                               {Field::Category, kDelta},
                               {Field::Correlation, kDelta},
                               {Field::Result, kDelta}})
    , syncs(ChunkType::Syncs, {{Field::Start, kDelta},
                               {Field::Duration, kPlain},
                               {Field::Name, kDelta},
                               {Field::Device, kDelta},
                               {Field::Context, kDelta},
                               {Field::Stream, kDelta},
                               {Field::Correlation, kDelta},
                               {Field::Event, kDelta}})
    , overheads(ChunkType::Overheads,
                {{Field::Thread, kDelta}, {Field::Start, kDelta}, {Field::Duration, kPlain}, {Field::Name, kDelta}})
    , externals(ChunkType::Externals, {{Field::Correlation, kDelta}, {Field::ExternalId, kDelta}})
    , allocations(ChunkType::Allocations, {{Field::Thread, kDelta},
                                           {Field::Time, kDelta},
                                           {Field::Address, kDelta},
                                           {Field::Bytes, kDelta},
                                           {Field::Device, kDelta},
                                           {Field::Name, kDelta},
                                           {Field::Context, kDelta},
                                           {Field::Stream, kDelta},
                                           {Field::Correlation, kDelta},
                                           {Field::Pool, kDelta},
                                           {Field::Allocated, kDelta},
                                           {Field::Reserved, kDelta}})
    , devices(ChunkType::Devices, {{Field::Device, kDelta}, {Field::Key, kDelta}, {Field::Value, kDelta}})
    , loss(ChunkType::Loss,
           {{Field::Category, kDelta}, {Field::Count, kPlain}, {Field::Start, kDelta}, {Field::Duration, kPlain}})
    , stats(ChunkType::Stats, {{Field::Key, kDelta}, {Field::Number, kDoubles}})
    , openRanges(ChunkType::OpenRanges, {{Field::Thread, kDelta},
                                         {Field::Start, kDelta},
                                         {Field::Name, kDelta},
                                         {Field::Category, kDelta},
                                         {Field::Domain, kDelta},
                                         {Field::Stack, kPlain}})
    , gaps(ChunkType::Gaps, {{Field::Thread, kPlain},
                             {Field::Category, kDelta},
                             {Field::Name, kDelta},
                             {Field::Start, kDelta},
                             {Field::Duration, kPlain}})
    , openGaps(ChunkType::OpenGaps,
               {{Field::Thread, kPlain}, {Field::Category, kDelta}, {Field::Name, kDelta}, {Field::Start, kDelta}})
    , settled(ChunkType::Settled, {{Field::Category, kDelta}, {Field::Time, kDelta}})
    , pythonFrames(ChunkType::PythonFrames, {{Field::Id, kDelta},
                                             {Field::Parent, kDelta},
                                             {Field::Name, kDelta},
                                             {Field::File, kDelta},
                                             {Field::FirstLine, kDelta},
                                             {Field::Line, kDelta}})
{
}

} // namespace riffle::collector
