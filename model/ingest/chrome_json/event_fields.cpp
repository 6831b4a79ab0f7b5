// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/event_record.h"

#include <unordered_map>

namespace riffle {

namespace {

using Kind = EventField::Kind;

EventField integer(IntArg arg) { return {Kind::Int, static_cast<uint8_t>(arg)}; }
EventField hashed(HashArg arg) { return {Kind::Hash, static_cast<uint8_t>(arg)}; }
EventField textual(TextArg arg) { return {Kind::Text, static_cast<uint8_t>(arg)}; }
EventField floating(FloatArg arg) { return {Kind::Float, static_cast<uint8_t>(arg)}; }
EventField vector(VectorArg arg) { return {Kind::Vector, static_cast<uint8_t>(arg)}; }

const std::unordered_map<std::string_view, EventField> &topFields()
{
    static const std::unordered_map<std::string_view, EventField> fields = {
        {"ph", {Kind::Phase}},  {"cat", {Kind::Category}}, {"name", {Kind::Name}}, {"pid", {Kind::Pid}},
        {"tid", {Kind::Tid}},   {"ts", {Kind::Ts}},        {"dur", {Kind::Dur}},   {"id", {Kind::Id}},
        {"id2", {Kind::Id}},    {"bp", {Kind::BindPoint}}, {"s", {Kind::Scope}},   {"scope", {Kind::AsyncScope}},
        {"args", {Kind::Args}},
    };
    return fields;
}

/// The argument names of all writers: Kineto (old and new), ROCm, Paddle, JAX.
const std::unordered_map<std::string_view, EventField> &argFields()
{
    static const std::unordered_map<std::string_view, EventField> fields = {
        {"correlation", integer(IntArg::Correlation)},
        {"correlation id", integer(IntArg::Correlation)},
        {"External id", integer(IntArg::ExternalId)},
        {"external id", integer(IntArg::ExternalId)},
        {"Sequence number", integer(IntArg::Sequence)},
        {"Fwd thread id", integer(IntArg::ForwardThread)},
        {"Ev Idx", integer(IntArg::EventIndex)},
        {"Record function id", integer(IntArg::RecordFunction)},
        {"Python id", integer(IntArg::PythonId)},
        {"Python parent id", integer(IntArg::PythonParent)},
        {"Python module id", integer(IntArg::PythonModule)},
        {"device", integer(IntArg::Device)},
        {"context", integer(IntArg::Context)},
        {"stream", integer(IntArg::Stream)},
        {"registers per thread", integer(IntArg::Registers)},
        {"shared memory", integer(IntArg::SharedMemory)},
        {"graph id", integer(IntArg::GraphId)},
        {"graph node id", integer(IntArg::GraphNode)},
        {"bytes", integer(IntArg::Bytes)},
        {"size", integer(IntArg::Bytes)},
        {"Addr", integer(IntArg::Address)},
        {"addr", integer(IntArg::Address)},
        {"Bytes", integer(IntArg::MemoryBytes)},
        {"increase_bytes", integer(IntArg::MemoryBytes)},
        {"Device Type", integer(IntArg::DeviceType)},
        {"Device Id", integer(IntArg::DeviceId)},
        {"Total Allocated", integer(IntArg::TotalAllocated)},
        {"current_allocated", integer(IntArg::TotalAllocated)},
        {"Total Reserved", integer(IntArg::TotalReserved)},
        {"current_reserved", integer(IntArg::TotalReserved)},
        {"In msg nelems", integer(IntArg::InElements)},
        {"Out msg nelems", integer(IntArg::OutElements)},
        {"Group size", integer(IntArg::GroupSize)},
        {"Rank", integer(IntArg::Rank)},
        {"Src Rank", integer(IntArg::SourceRank)},
        {"Dst Rank", integer(IntArg::DestinationRank)},
        {"Seq", integer(IntArg::CollectiveSequence)},
        {"Comms Id", integer(IntArg::CommsId)},
        {"wait_on_stream", integer(IntArg::WaitStream)},
        {"wait_on_cuda_event_id", integer(IntArg::WaitEvent)},
        {"wait_on_cuda_event_record_corr_id", integer(IntArg::WaitCorrelation)},
        {"sort_index", integer(IntArg::SortIndex)},
        {"Input Dims", hashed(HashArg::InputDims)},
        {"Input dims", hashed(HashArg::InputDims)},
        {"input_shapes", hashed(HashArg::InputDims)},
        {"Input type", hashed(HashArg::InputTypes)},
        {"input_dtypes", hashed(HashArg::InputTypes)},
        {"Input Strides", hashed(HashArg::InputStrides)},
        {"Concrete Inputs", hashed(HashArg::ConcreteInputs)},
        {"Call stack", hashed(HashArg::CallStack)},
        {"callstack", hashed(HashArg::CallStack)},
        {"Module Hierarchy", hashed(HashArg::ModuleHierarchy)},
        {"In split size", hashed(HashArg::InSplit)},
        {"Out split size", hashed(HashArg::OutSplit)},
        {"Collective name", textual(TextArg::CollectiveName)},
        {"dtype", textual(TextArg::DataType)},
        {"Process Group Name", textual(TextArg::GroupName)},
        {"Process Group Description", textual(TextArg::GroupDescription)},
        {"Process Group Ranks", textual(TextArg::GroupRanks)},
        {"cuda_sync_kind", textual(TextArg::SyncKind)},
        {"name", textual(TextArg::Name)},
        {"labels", textual(TextArg::Labels)},
        {"start_time", textual(TextArg::StartTime)},
        {"place", textual(TextArg::Place)},
        {"blocks per SM", floating(FloatArg::BlocksPerSm)},
        {"warps per SM", floating(FloatArg::WarpsPerSm)},
        {"est. achieved occupancy %", floating(FloatArg::Occupancy)},
        {"theoretical occupancy %", floating(FloatArg::Occupancy)},
        {"theoretical achieved occupancy %", floating(FloatArg::Occupancy)},
        {"grid", vector(VectorArg::Grid)},
        {"block", vector(VectorArg::Block)},
    };
    return fields;
}

} // namespace

EventField fieldOf(std::string_view key, bool inArgs)
{
    const auto &fields = inArgs ? argFields() : topFields();
    const auto found = fields.find(key);
    return found == fields.end() ? EventField{} : found->second;
}

} // namespace riffle
