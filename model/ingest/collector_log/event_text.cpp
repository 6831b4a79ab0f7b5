// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/event_text.h"

#include "model/ingest/chrome_json/training_meta.h"
#include "model/ingest/collector_log/collective_text.h"
#include "model/ingest/collector_log/json_text.h"
#include "model/ingest/collector_log/row_event.h"
#include "model/trace/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace riffle {

using wire::ChunkType;
using wire::Field;

namespace {

static_assert(kGapOfEverything == wire::kEverything && kGapOfCuda == wire::kCudaSource);

constexpr uint32_t kHostRoom = 512; ///< bytes for all keys and numbers
constexpr uint32_t kDeviceRoom = 896;

struct IntArgument {
    Field field;
    const char *key;
};
constexpr IntArgument kDeviceArguments[] = {
    {Field::Queued, "queued"},
    {Field::Submitted, "submitted"},
    {Field::Device, "device"},
    {Field::Context, "context"},
    {Field::Stream, "stream"},
    {Field::Correlation, "correlation"},
    {Field::Bytes, "bytes"},
    {Field::Registers, "registers per thread"},
    {Field::SharedMemory, "shared memory"},
    {Field::GraphId, "graph id"},
    {Field::GraphNode, "graph node id"},
};

/// The category that Kineto gives to steps. Other tools know steps and other annotations of the program by it.
constexpr std::string_view kAnnotation = "user_annotation";

/// True for calls that start work on a device. Other calls have a correlation too, but no device work belongs to it.
bool isLaunch(std::string_view call)
{
    for (const char *word : {"Launch", "Memcpy", "Memset"})
        if (call.find(word) != call.npos)
            return true;
    return false;
}

} // namespace

std::string hostCategory(std::string_view given)
{
    std::string category(given);
    if (traitsOf(given).device)
        category.insert(0, "host ");
    return category;
}

std::string_view categoryOf(ChunkType type, std::string_view name)
{
    switch (type) {
    case ChunkType::Kernels: return "kernel";
    case ChunkType::Copies: return name.starts_with("Memset") ? "gpu_memset" : "gpu_memcpy";
    case ChunkType::Syncs: return "cuda_sync";
    case ChunkType::Calls: return "cuda_runtime";
    case ChunkType::Overheads: return "overhead";
    case ChunkType::Allocations: return "cpu_instant_event";
    case ChunkType::Gaps:
    case ChunkType::OpenGaps: return kGapCategory;
    default: return {};
    }
}

EventText::EventText(const LogIndex &index, const PartTables &tables, ChunkType type, const ChunkColumns &columns)
    : m_index(index)
    , m_tables(tables)
    , m_columns(columns)
    , m_type(type)
{
    const auto use = [&](uint32_t fixed, std::initializer_list<Field> texts) {
        m_fixed = fixed;
        size_t at = 0;
        for (const Field field : texts)
            m_ids[at++] = columns.ints(field);
    };
    if (type == ChunkType::Ranges || type == ChunkType::OpenRanges)
        m_stacks = columns.ints(Field::Stack);
    if (type == ChunkType::Ranges)
        m_collectives = columns.ints(Field::Collective);
    switch (type) {
    case ChunkType::Ranges:
    case ChunkType::OpenRanges:
    case ChunkType::Marks:
        use(kHostRoom,
            {Field::Name, Field::Category, Field::Domain, Field::Shapes, Field::Types, Field::Strides, Field::Values});
        break;
    case ChunkType::Counters: use(kHostRoom, {Field::Name, Field::Series}); break;
    case ChunkType::Kernels:
    case ChunkType::Copies: use(kDeviceRoom, {Field::Name}); break;
    case ChunkType::Syncs: use(kDeviceRoom, {Field::Name, Field::Name}); break; // the name is written twice
    case ChunkType::Calls: use(kHostRoom, {Field::Name, Field::Category}); break;
    case ChunkType::Overheads: use(kHostRoom, {Field::Name}); break;
    case ChunkType::Allocations: use(kDeviceRoom, {Field::Name}); break;
    case ChunkType::Gaps:
    case ChunkType::OpenGaps: use(kHostRoom, {Field::Name, Field::Category}); break;
    default: break;
    }
}

void EventText::beginOnThread(RowEvent &event, char phase, uint32_t row, Field time) const
{
    const std::string_view category = text(Field::Category, row);
    event.begin(phase, category == wire::kStepCategory ? std::string(kAnnotation) : hostCategory(category),
                text(Field::Name, row));
    event.number("pid", m_index.pid);
    event.number("tid", m_tables.osThread(value(Field::Thread, row)));
    event.time("ts", value(time, row));
}

void EventText::describePayload(RowEvent &event, uint32_t row) const
{
    event.argument("domain", text(Field::Domain, row));
    const int64_t bits = value(Field::Payload, row);
    switch (value(Field::PayloadKind, row)) {
    case wire::kUnsigned: event.add("payload", ArgumentValue(static_cast<uint64_t>(bits))); break;
    case wire::kSigned: event.add("payload", ArgumentValue(bits)); break;
    case wire::kFloat: event.argument("payload", std::bit_cast<double>(bits)); break;
    default: break;
    }
    if (const int64_t color = value(Field::Color, row); color != wire::kAbsent && color != 0)
        event.argument("color", fmt::format("#{:08x}", static_cast<uint32_t>(color)));
}

void EventText::describeRange(RowEvent &event, uint32_t row) const
{
    beginOnThread(event, m_type == ChunkType::Ranges ? 'X' : 'B', row, Field::Start);
    event.time("dur", value(Field::Duration, row));
    event.argument("External id", value(Field::ExternalId, row));
    event.argument("Fwd thread id", value(Field::ForwardThread, row));
    event.argument("Sequence number", value(Field::Sequence, row));
    event.argument("Record function id", value(Field::OperatorId, row));
    const auto inputs = [&](const char *key, Field field, void (*appendJson)(std::string &, std::string_view)) {
        if (const std::string_view recorded = text(field, row); !recorded.empty()) {
            std::string json;
            appendJson(json, recorded);
            event.add(key, ArgumentValue::ofJson(std::move(json)));
        }
    };
    inputs("Input Dims", Field::Shapes, appendShapes);
    inputs("Input type", Field::Types, appendTextList);
    inputs("Input Strides", Field::Strides, appendShapes);
    inputs("Concrete Inputs", Field::Values, appendTextList);
    describeCollective(event, row);
    if (m_stacks && m_tables.stackRoom(m_stacks[row]) > 0)
        event.argument("Call stack", std::string_view(m_tables.stackText(m_stacks[row])));
    describePayload(event, row);
}

void EventText::describeCollective(RowEvent &event, uint32_t row) const
{
    const std::string_view lines = text(Field::Collective, row);
    if (lines.empty())
        return;
    const CollectiveText collective(lines);
    for (size_t line = 0; line < CollectiveText::Count; ++line)
        if (CollectiveText::isNumber(line))
            event.argument(wire::kCollectiveKeys[line], collective.number(line));
        else
            event.argument(wire::kCollectiveKeys[line], collective.line(line));
    event.argument("Seq", value(Field::CollectiveSequence, row));
}

void EventText::describeMark(RowEvent &event, uint32_t row) const
{
    beginOnThread(event, 'i', row, Field::Time);
    event.text("s", "t");
    describePayload(event, row);
}

void EventText::describeCounter(RowEvent &event, uint32_t row) const
{
    const double sample = m_columns.number(Field::Number, row);
    if (!std::isfinite(sample))
        return;
    event.begin('C', {}, text(Field::Name, row));
    event.number("pid", m_index.pid);
    event.time("ts", value(Field::Time, row));
    const std::string_view series = text(Field::Series, row);
    event.argument(series.empty() ? "value" : series, sample);
}

void EventText::describeBandwidth(RowEvent &event, int64_t bytes, int64_t duration)
{
    if (bytes != wire::kAbsent && bytes >= 0 && duration > 0) // bytes per ns are GB per s
        event.argument("memory bandwidth (GB/s)", static_cast<double>(bytes) / static_cast<double>(duration));
}

void EventText::describeDeviceWork(RowEvent &event, uint32_t row) const
{
    const int64_t device = value(Field::Device, row), stream = value(Field::Stream, row);
    const std::string_view name = text(Field::Name, row);
    event.begin('X', categoryOf(m_type, name), name);
    event.number("pid", device == wire::kAbsent ? 0 : device);
    event.number("tid", stream == wire::kAbsent ? kAllStreams : stream);
    if (value(Field::Start, row) != 0) // 0: the start was never read from the device
        event.time("ts", value(Field::Start, row));
    event.time("dur", value(Field::Duration, row));
    event.argument("External id", m_index.externals.find(value(Field::Correlation, row)));
    for (const IntArgument &argument : kDeviceArguments)
        event.argument(argument.key, value(argument.field, row));
    const auto three = [&](const char *key, Field x, Field y, Field z) {
        if (value(x, row) != wire::kAbsent && value(y, row) != wire::kAbsent && value(z, row) != wire::kAbsent)
            event.add(key,
                      ArgumentValue::ofJson(fmt::format("[{},{},{}]", value(x, row), value(y, row), value(z, row))));
    };
    if (m_type == ChunkType::Copies)
        describeBandwidth(event, value(Field::Bytes, row), value(Field::Duration, row));
    three("grid", Field::GridX, Field::GridY, Field::GridZ);
    three("block", Field::BlockX, Field::BlockY, Field::BlockZ);
    if (m_type == ChunkType::Syncs) {
        event.argument("cuda_sync_kind", name);
        event.argument("wait_on_cuda_event_id", value(Field::Event, row));
    }
}

void EventText::describeCall(RowEvent &event, uint32_t row) const
{
    const std::string_view name = text(Field::Name, row), category = text(Field::Category, row);
    event.begin('X', category.empty() ? std::string(categoryOf(m_type, name)) : hostCategory(category), name);
    event.number("pid", m_index.pid);
    event.number("tid", m_tables.osThread(value(Field::Thread, row)));
    event.time("ts", value(Field::Start, row));
    event.time("dur", value(Field::Duration, row));
    event.argument("External id", m_index.externals.find(value(Field::Correlation, row)));
    event.argument("correlation", value(Field::Correlation, row));
    event.argument("result", value(Field::Result, row));
}

void EventText::describeOverhead(RowEvent &event, uint32_t row) const
{
    const std::string_view name = text(Field::Name, row);
    event.begin('X', categoryOf(m_type, name), name);
    event.number("pid", kOverheadPid);
    event.number("tid", kOverheadTid);
    event.time("ts", value(Field::Start, row));
    event.time("dur", value(Field::Duration, row));
    if (const int64_t thread = value(Field::Thread, row); thread != wire::kAbsent)
        event.argument("thread", m_tables.osThread(thread));
}

void EventText::describeAllocation(RowEvent &event, uint32_t row) const
{
    event.begin('i', categoryOf(m_type, {}), "[memory]");
    event.number("pid", m_index.pid);
    event.number("tid", m_tables.osThread(value(Field::Thread, row)));
    event.time("ts", value(Field::Time, row));
    event.text("s", "t");
    const int64_t device = value(Field::Device, row);
    event.argument("Device Type", int64_t{device == wire::kAbsent || device < 0 ? 0 : 1});
    event.argument("Device Id", device == wire::kAbsent ? int64_t{-1} : device);
    if (const int64_t address = value(Field::Address, row); address != wire::kAbsent)
        event.add("Addr", ArgumentValue(static_cast<uint64_t>(address)));
    event.argument("Bytes", value(Field::Bytes, row));
    event.argument("Total Allocated", value(Field::Allocated, row));
    event.argument("Total Reserved", value(Field::Reserved, row));
    event.argument("allocator", text(Field::Name, row));
    if (const int64_t pool = value(Field::Pool, row); pool != wire::kAbsent)
        event.add("pool", ArgumentValue(static_cast<uint64_t>(pool)));
    event.argument("context", value(Field::Context, row));
    event.argument("stream", value(Field::Stream, row));
    event.argument("correlation", value(Field::Correlation, row));
}

std::string EventText::gapLane(uint32_t row) const
{
    std::string lane(text(Field::Category, row));
    if (const int64_t thread = value(Field::Thread, row); thread != wire::kAbsent)
        lane += " of thread " + std::to_string(m_tables.osThread(thread));
    return lane;
}

int64_t EventText::gapDuration(uint32_t row) const
{
    const int64_t start = value(Field::Start, row);
    int64_t duration = value(Field::Duration, row);
    if (m_type == ChunkType::OpenGaps && __builtin_sub_overflow(m_index.lastTime, start, &duration))
        duration = 0;
    return start == wire::kAbsent ? 0 : std::max<int64_t>(0, duration);
}

void EventText::describeGap(RowEvent &event, uint32_t row) const
{
    const int64_t duration = gapDuration(row);
    if (duration == 0)
        return;
    event.begin('X', kGapCategory, text(Field::Name, row));
    event.text("pid", kGapProcess);
    event.text("tid", gapLane(row));
    event.time("ts", value(Field::Start, row));
    event.time("dur", duration);
}

void EventText::append(std::string &out, uint32_t row) const
{
    JsonEvent event(out);
    describe(event, row);
}

EventArguments EventText::arguments(uint32_t row) const
{
    ArgumentsOfEvent event;
    describe(event, row);
    return event.take();
}

void EventText::describe(RowEvent &event, uint32_t row) const
{
    switch (m_type) {
    case ChunkType::Ranges:
    case ChunkType::OpenRanges: return describeRange(event, row);
    case ChunkType::Marks: return describeMark(event, row);
    case ChunkType::Counters: return describeCounter(event, row);
    case ChunkType::Kernels:
    case ChunkType::Copies:
    case ChunkType::Syncs: return describeDeviceWork(event, row);
    case ChunkType::Calls: return describeCall(event, row);
    case ChunkType::Overheads: return describeOverhead(event, row);
    case ChunkType::Allocations: return describeAllocation(event, row);
    case ChunkType::Gaps:
    case ChunkType::OpenGaps: return describeGap(event, row);
    default: return;
    }
}

void EventText::appendFlow(std::string &out, uint32_t row) const
{
    const bool begins = m_type == ChunkType::Calls && isLaunch(text(Field::Name, row));
    const bool ends = m_type == ChunkType::Kernels || m_type == ChunkType::Copies;
    const int64_t correlation = value(Field::Correlation, row), start = value(Field::Start, row);
    if ((!begins && !ends) || correlation == wire::kAbsent || start == wire::kAbsent || (ends && start == 0))
        return;
    const int64_t device = value(Field::Device, row), stream = value(Field::Stream, row);
    const int64_t pid = begins ? m_index.pid : device == wire::kAbsent ? 0 : device;
    const int64_t tid = begins                    ? m_tables.osThread(value(Field::Thread, row))
                        : stream == wire::kAbsent ? kAllStreams
                                                  : stream;
    fmt::format_to(std::back_inserter(out),
                   ",\n{{\"ph\":\"{}\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":", begins ? 's' : 'f', correlation, pid,
                   tid);
    appendMicroseconds(out, start);
    out += begins ? ",\"cat\":\"ac2g\",\"name\":\"ac2g\"}" : ",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"bp\":\"e\"}";
}

} // namespace riffle
