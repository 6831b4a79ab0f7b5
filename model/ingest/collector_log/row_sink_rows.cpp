// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/quoted_text.h"
#include "model/ingest/chrome_json/event_record.h"
#include "model/ingest/collector_log/collective_text.h"
#include "model/ingest/collector_log/row_sink.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace riffle {

using wire::Field;

void RowSink::addRange(const Place &at)
{
    m_writer->countEvent('X');
    const Category own = category(value(Field::Category, at), at);
    SliceRow row;
    if (!fill(row, at, own, slice_flag::Host) || leavesOutSlice(row, false, at))
        return;
    row.name = string(Field::Name, at);
    if (own.isFrame)
        return m_writer->slice(row, threadLane(at), PythonRow{0, kNoInt, kNoInt, kNoInt, kNoInt});
    const int64_t shapes = value(Field::Shapes, at);
    OperatorRow op{};
    op.sequence = value(Field::Sequence, at);
    op.recordFunction = value(Field::OperatorId, at);
    const bool hasShapes = shapes != wire::kAbsent && shapes != 0;
    op.callStack = stackHashOf(value(Field::Stack, at));
    if (!own.isOperator && op.sequence == kNoInt && op.recordFunction == kNoInt && !hasShapes && op.callStack == 0)
        return m_writer->slice(row, threadLane(at));
    op.slice = SliceId::kNone;
    op.forwardThread = value(Field::ForwardThread, at);
    op.eventIndex = kNoInt;
    op.inputDims = hasShapes ? shapesHashOf(shapes) : 0;
    const auto known = [&](Field field) { return std::max<int64_t>(0, value(field, at)); };
    op.inputTypes = textListHashOf(known(Field::Types));
    op.inputStrides = known(Field::Strides) ? shapesHashOf(known(Field::Strides)) : 0;
    op.concreteInputs = textListHashOf(known(Field::Values));
    m_writer->slice(row, threadLane(at), op);
    addCollective(at);
}

void RowSink::addCollective(const Place &at)
{
    const int64_t id = value(Field::Collective, at);
    if (textOf(Field::Collective, at).empty())
        return;
    const auto [found, isNew] = m_collectives.try_emplace(id);
    CollectiveRow &row = found->second;
    if (isNew) {
        const CollectiveText text(textOf(Field::Collective, at));
        const auto string = [&](size_t line) { return m_writer->intern(text.line(line), at.address); };
        const auto hash = [&](size_t line) {
            return text.line(line).empty() ? 0 : rawTextHash(jsonString(text.line(line)));
        };
        row.slice = SliceId::kNone;
        row.operation = string(CollectiveText::Operation);
        row.dataType = string(CollectiveText::DataType);
        row.group = string(CollectiveText::Group);
        row.groupDescription = string(CollectiveText::Description);
        row.groupRanks = string(CollectiveText::Ranks);
        row.inElements = text.number(CollectiveText::InElements);
        row.outElements = text.number(CollectiveText::OutElements);
        row.groupSize = text.number(CollectiveText::GroupSize);
        row.rank = text.number(CollectiveText::Rank);
        row.sourceRank = text.number(CollectiveText::SourceRank);
        row.destinationRank = text.number(CollectiveText::DestinationRank);
        row.commsId = kNoInt;
        row.commsIdKind = RawId::Kind::None;
        row.inSplit = hash(CollectiveText::InSplit);
        row.outSplit = hash(CollectiveText::OutSplit);
    }
    row.sequence = value(Field::CollectiveSequence, at);
    m_writer->collective(row);
}

void RowSink::addUnfinishedRange(const Place &at)
{
    m_writer->countEvent('B');
    const Category own = category(value(Field::Category, at), at);
    HalfRow row;
    if (!timeOf(at, Field::Start, row.time) || m_filter.leavesOutBegin([&] { return textOf(Field::Name, at); }))
        return;
    row.sourceOffset = at.address;
    row.sourceLength = at.room;
    row.correlation = row.externalId = kNoInt;
    row.group = 0;
    row.name = string(Field::Name, at);
    row.category = own.id;
    row.lane = threadLane(at);
    row.flags = static_cast<uint16_t>(slice_flag::Host | (own.annotation ? slice_flag::Annotation : 0));
    row.phase = 'B';
    m_writer->half(row);
}

void RowSink::addDeviceWork(const Place &at)
{
    m_writer->countEvent('X');
    const std::string_view name = textOf(Field::Name, at);
    SliceRow row;
    if (!fill(row, at, ownCategory(categoryOf(m_type, name), at), slice_flag::OnStream) ||
        leavesOutSlice(row, true, at))
        return;
    row.name = string(Field::Name, at);
    if (row.externalId == kNoInt)
        row.externalId = m_index.externals.find(row.correlation);
    DeviceRow device;
    device.slice = device.launch = SliceId::kNone;
    device.context = value(Field::Context, at);
    device.stream = value(Field::Stream, at);
    device.bytes = value(Field::Bytes, at);
    device.graphId = value(Field::GraphId, at);
    device.graphNode = value(Field::GraphNode, at);
    device.device = smallValue(Field::Device, at);
    const auto three = [&](Field x, Field y, Field z) -> std::array<int32_t, 3> {
        if (value(x, at) == kNoInt || value(y, at) == kNoInt || value(z, at) == kNoInt)
            return {};
        return {smallValue(x, at), smallValue(y, at), smallValue(z, at)};
    };
    device.grid = three(Field::GridX, Field::GridY, Field::GridZ);
    device.block = three(Field::BlockX, Field::BlockY, Field::BlockZ);
    device.registers = smallValue(Field::Registers, at);
    device.sharedMemory = smallValue(Field::SharedMemory, at);
    device.blocksPerSm = device.warpsPerSm = device.occupancy = std::numeric_limits<float>::quiet_NaN();
    const int64_t index = value(Field::Device, at);
    m_writer->slice(row,
                    streamLane(index == kNoInt ? 0 : index, device.stream == kNoInt ? kAllStreams : device.stream, at),
                    device);
    if (m_type == wire::ChunkType::Syncs)
        m_writer->sync({SliceId::kNone, row.name, kNoInt, value(Field::Event, at), kNoInt});
}

void RowSink::addCall(const Place &at)
{
    m_writer->countEvent('X');
    const int64_t given = value(Field::Category, at);
    const Category own =
        given == wire::kAbsent || given == 0 ? ownCategory(categoryOf(m_type, {}), at) : category(given, at);
    SliceRow row;
    if (!fill(row, at, own, slice_flag::Host) || leavesOutSlice(row, false, at))
        return;
    row.name = string(Field::Name, at);
    if (row.externalId == kNoInt)
        row.externalId = m_index.externals.find(row.correlation);
    m_writer->slice(row, threadLane(at));
}

void RowSink::addOverhead(const Place &at)
{
    m_writer->countEvent('X');
    SliceRow row;
    if (!fill(row, at, ownCategory(categoryOf(m_type, {}), at), slice_flag::Host) || leavesOutSlice(row, false, at))
        return;
    row.name = string(Field::Name, at);
    m_writer->slice(row, lane(kOverheadPid, kOverheadTid, LaneKind::Thread, at));
}

void RowSink::addGap(const Place &at)
{
    if (m_text->gapDuration(at.row) == 0)
        return;
    m_writer->countEvent('X');
    SliceRow row;
    if (!fill(row, at, ownCategory(kGapCategory, at), slice_flag::Host) || leavesOutSlice(row, false, at))
        return;
    row.name = string(Field::Name, at);
    LaneKey key;
    key.pid = {m_writer->intern(kGapProcess, at.address), RawId::Kind::Text};
    key.tid = {m_writer->intern(m_text->gapLane(at.row), at.address), RawId::Kind::Text};
    key.kind = LaneKind::Thread;
    m_writer->slice(row, m_writer->lane(key, at.address));
}

void RowSink::addMark(const Place &at)
{
    m_writer->countEvent('i');
    InstantRow row;
    if (!timeOf(at, Field::Time, row.time) || leavesOut(row.time, at))
        return;
    row.sourceOffset = at.address;
    row.sourceLength = at.room;
    row.name = string(Field::Name, at);
    row.category = category(value(Field::Category, at), at).id;
    row.lane = threadLane(at);
    row.phase = 'i';
    row.scope = 't';
    m_writer->instant(row);
}

void RowSink::addCounter(const Place &at)
{
    m_writer->countEvent('C');
    CounterRow row;
    if (!timeOf(at, Field::Time, row.time) || leavesOut(row.time, at))
        return;
    row.value = m_columns->number(Field::Number, at.row);
    if (!std::isfinite(row.value)) {
        m_writer->report().add(Trouble::WrongType, at.address, textOf(Field::Name, at));
        return;
    }
    LaneKey key;
    key.pid = {m_index.pid, RawId::Kind::Signed};
    key.kind = LaneKind::Counter;
    key.name = string(Field::Name, at);
    row.sourceOffset = at.address;
    row.sourceLength = at.room;
    row.lane = m_writer->lane(key, at.address);
    row.series = textOf(Field::Series, at).empty() ? m_writer->intern("value", at.address) : string(Field::Series, at);
    m_writer->counter(row);
}

void RowSink::addAllocation(const Place &at)
{
    m_writer->countEvent('i');
    MemoryRow row;
    if (!timeOf(at, Field::Time, row.time) || m_filter.leavesOutMemory(row.time, m_writer->report(), at.address))
        return;
    const int64_t device = value(Field::Device, at), address = value(Field::Address, at),
                  bytes = value(Field::Bytes, at);
    row.address = address == kNoInt ? 0 : static_cast<uint64_t>(address);
    row.bytes = bytes == kNoInt ? 0 : bytes;
    row.totalAllocated = value(Field::Allocated, at);
    row.totalReserved = value(Field::Reserved, at);
    row.eventIndex = kNoInt;
    row.sourceOffset = at.address;
    row.sourceLength = at.room;
    row.lane = threadLane(at);
    row.deviceType = device == kNoInt || device < 0 ? 0 : 1;
    row.deviceId = device == kNoInt ? -1 : smallValue(Field::Device, at);
    m_writer->memory(row);
    InstantRow instant;
    instant.time = row.time;
    instant.sourceOffset = row.sourceOffset;
    instant.sourceLength = row.sourceLength;
    instant.name = m_writer->intern("[memory]", at.address);
    instant.category = ownCategory(categoryOf(m_type, {}), at).id;
    instant.lane = row.lane;
    instant.phase = 'i';
    instant.scope = 't';
    m_writer->instant(instant);
}

} // namespace riffle
