// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/decimal.h"
#include "model/ingest/chrome_json/event_sink.h"
#include "model/ingest/chrome_json/paddle_event.h"
#include "model/trace/json_entries.h"

#include <cstdlib>

namespace riffle {

namespace {

constexpr uint64_t bitsOf(std::initializer_list<IntArg> args)
{
    uint64_t bits = 0;
    for (const IntArg arg : args)
        bits |= uint64_t(1) << size_t(arg);
    return bits;
}

constexpr uint64_t kDeviceBits = bitsOf({IntArg::Device, IntArg::Context, IntArg::Stream, IntArg::Registers,
                                         IntArg::SharedMemory, IntArg::GraphId, IntArg::GraphNode, IntArg::Bytes});
constexpr uint64_t kOperatorBits =
    bitsOf({IntArg::Sequence, IntArg::ForwardThread, IntArg::EventIndex, IntArg::RecordFunction});
constexpr uint64_t kPythonBits = bitsOf({IntArg::PythonId, IntArg::PythonParent, IntArg::PythonModule});
constexpr uint64_t kSyncBits = bitsOf({IntArg::WaitStream, IntArg::WaitEvent, IntArg::WaitCorrelation});
constexpr uint32_t kOperatorHashes = (1u << size_t(HashArg::InSplit)) - 1;

int32_t int32Of(const EventRecord &event, IntArg arg)
{
    const int64_t value = event.intOr(arg, kNoInt32);
    return value < INT32_MIN || value > INT32_MAX ? kNoInt32 : static_cast<int32_t>(value);
}

} // namespace

void EventSink::addDetails(SliceRow row, uint32_t lane, const EventRecord &event, const CategoryEntry &category)
{
    if ((event.intSeen & kPythonBits) || category.traits.frame) {
        m_writer.slice(row, lane,
                       PythonRow{0, event.intOr(IntArg::PythonId, kNoInt), event.intOr(IntArg::PythonParent, kNoInt),
                                 event.intOr(IntArg::PythonModule, kNoInt), event.intOr(IntArg::EventIndex, kNoInt)});
    } else if (category.traits.device && !category.traits.annotation) {
        DeviceRow device;
        device.slice = device.launch = SliceId::kNone;
        device.context = event.intOr(IntArg::Context, kNoInt);
        device.stream = event.intOr(IntArg::Stream, kNoInt);
        device.bytes = event.intOr(IntArg::Bytes, kNoInt);
        device.graphId = event.intOr(IntArg::GraphId, kNoInt);
        device.graphNode = event.intOr(IntArg::GraphNode, kNoInt);
        device.device = int32Of(event, IntArg::Device);
        device.grid = event.has(VectorArg::Grid) ? event.vectors[size_t(VectorArg::Grid)] : std::array<int32_t, 3>{};
        device.block = event.has(VectorArg::Block) ? event.vectors[size_t(VectorArg::Block)] : std::array<int32_t, 3>{};
        device.registers = int32Of(event, IntArg::Registers);
        device.sharedMemory = int32Of(event, IntArg::SharedMemory);
        device.blocksPerSm = event.floatOrNan(FloatArg::BlocksPerSm);
        device.warpsPerSm = event.floatOrNan(FloatArg::WarpsPerSm);
        device.occupancy = event.floatOrNan(FloatArg::Occupancy);
        m_writer.slice(row, lane, device);
    } else if ((event.intSeen & kOperatorBits) || (event.hashSeen & kOperatorHashes)) {
        OperatorRow op;
        op.slice = SliceId::kNone;
        op.sequence = event.intOr(IntArg::Sequence, kNoInt);
        op.forwardThread = event.intOr(IntArg::ForwardThread, kNoInt);
        op.eventIndex = event.intOr(IntArg::EventIndex, kNoInt);
        op.recordFunction = event.intOr(IntArg::RecordFunction, kNoInt);
        op.inputDims = event.hashOrZero(HashArg::InputDims);
        op.inputTypes = event.hashOrZero(HashArg::InputTypes);
        op.inputStrides = event.hashOrZero(HashArg::InputStrides);
        op.concreteInputs = event.hashOrZero(HashArg::ConcreteInputs);
        op.callStack = event.hashOrZero(HashArg::CallStack);
        op.moduleHierarchy = event.hashOrZero(HashArg::ModuleHierarchy);
        m_writer.slice(row, lane, op);
    } else {
        m_writer.slice(row, lane);
    }
    if (event.has(TextArg::CollectiveName) || event.has(TextArg::GroupName)) {
        CollectiveRow collective;
        collective.operation = text(event, TextArg::CollectiveName);
        collective.dataType = text(event, TextArg::DataType);
        collective.group = text(event, TextArg::GroupName);
        collective.groupDescription = text(event, TextArg::GroupDescription);
        collective.groupRanks = text(event, TextArg::GroupRanks);
        collective.inElements = event.intOr(IntArg::InElements, kNoInt);
        collective.outElements = event.intOr(IntArg::OutElements, kNoInt);
        collective.groupSize = event.intOr(IntArg::GroupSize, kNoInt);
        collective.rank = event.intOr(IntArg::Rank, kNoInt);
        collective.sourceRank = event.intOr(IntArg::SourceRank, kNoInt);
        collective.destinationRank = event.intOr(IntArg::DestinationRank, kNoInt);
        collective.sequence = event.intOr(IntArg::CollectiveSequence, kNoInt);
        collective.commsId = event.intOr(IntArg::CommsId, kNoInt);
        const bool isUnsigned = event.intUnsigned & bitsOf({IntArg::CommsId});
        collective.commsIdKind = !event.has(IntArg::CommsId) ? RawId::Kind::None
                                 : isUnsigned                ? RawId::Kind::Unsigned
                                                             : RawId::Kind::Signed;
        collective.inSplit = event.hashOrZero(HashArg::InSplit);
        collective.outSplit = event.hashOrZero(HashArg::OutSplit);
        m_writer.collective(collective);
    }
    if ((event.intSeen & kSyncBits) || event.has(TextArg::SyncKind)) {
        SyncRow sync;
        sync.kind = text(event, TextArg::SyncKind);
        sync.waitStream = event.intOr(IntArg::WaitStream, kNoInt);
        sync.waitEvent = event.intOr(IntArg::WaitEvent, kNoInt);
        sync.waitCorrelation = event.intOr(IntArg::WaitCorrelation, kNoInt);
        m_writer.sync(sync);
    }
}

void EventSink::addMemory(const EventRecord &event)
{
    MemoryRow row;
    row.time = event.ts;
    row.address = static_cast<uint64_t>(event.intOr(IntArg::Address, 0));
    row.bytes = event.intOr(IntArg::MemoryBytes, 0);
    row.totalAllocated = event.intOr(IntArg::TotalAllocated, kNoInt);
    row.totalReserved = event.intOr(IntArg::TotalReserved, kNoInt);
    row.eventIndex = event.intOr(IntArg::EventIndex, kNoInt);
    row.sourceOffset = event.offset;
    row.sourceLength = event.length;
    row.lane = lane(event, LaneKind::Thread);
    row.deviceType = int32Of(event, IntArg::DeviceType);
    row.deviceId = int32Of(event, IntArg::DeviceId);
    if (event.has(TextArg::Place))
        if (const auto place = paddlePlace(event.texts[size_t(TextArg::Place)])) {
            row.deviceType = place->deviceType;
            row.deviceId = place->deviceId;
        }
    m_writer.memory(row);
}

void EventSink::addCounter(const EventRecord &event)
{
    if (!timeIsGood(event) || leavesOut(event))
        return;
    LaneKey key;
    key.pid = idOf(event.pid, event, false);
    key.kind = LaneKind::Counter;
    std::string name(event.name);
    if (!event.id.empty())
        (name += ' ') += plainText(event.id);
    key.name = m_writer.intern(name, event.offset);
    CounterRow row;
    row.time = event.ts;
    row.sourceOffset = event.offset;
    row.sourceLength = event.length;
    for (const JsonEntry &argument : entriesOf(argsText(event.text))) {
        const std::string text = plainText(argument.value);
        char *end = nullptr;
        row.value = std::strtod(text.c_str(), &end);
        if (text.empty() || end != text.c_str() + text.size()) {
            m_writer.report().add(Trouble::WrongType, event.offset, event.text);
            continue;
        }
        row.lane = m_writer.lane(key, event.offset);
        row.series = m_writer.intern(argument.key, event.offset);
        m_writer.counter(row);
    }
}

void EventSink::addMetadata(const EventRecord &event)
{
    MetadataRow row;
    if (event.name == "process_name")
        row.kind = MetadataRow::Kind::ProcessName;
    else if (event.name == "process_labels")
        row.kind = MetadataRow::Kind::ProcessLabels;
    else if (event.name == "process_sort_index")
        row.kind = MetadataRow::Kind::ProcessSort;
    else if (event.name == "thread_name")
        row.kind = MetadataRow::Kind::ThreadName;
    else if (event.name == "thread_sort_index")
        row.kind = MetadataRow::Kind::ThreadSort;
    else
        return; // other metadata can still be read from the source text
    row.pid = idOf(event.pid, event, false);
    row.tid = idOf(event.tid, event, true);
    row.text = event.has(TextArg::Name) ? text(event, TextArg::Name) : text(event, TextArg::Labels);
    if (row.kind == MetadataRow::Kind::ThreadName && event.has(TextArg::Name))
        row.text = m_writer.intern(paddleThreadName(event.texts[size_t(TextArg::Name)]), event.offset);
    row.number = event.intOr(IntArg::SortIndex, kNoInt);
    row.sourceOffset = event.offset;
    row.sourceLength = event.length;
    m_writer.metadata(row);
}

} // namespace riffle
