// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/store_description.h"

#include "model/base/byte_stream.h"

namespace riffle {

namespace {

void put(ByteWriter &out, TimeSpan span)
{
    out.put(span.begin);
    out.put(span.end);
}
void put(ByteWriter &out, RawId id)
{
    out.put(id.bits);
    out.put(id.kind);
}
void put(ByteWriter &out, std::optional<int64_t> number)
{
    out.put<uint8_t>(number.has_value());
    out.put(number.value_or(0));
}

void put(ByteWriter &out, const std::optional<TimeSpan> &span)
{
    out.put<uint8_t>(span.has_value());
    put(out, span.value_or(TimeSpan{}));
}

TimeSpan getSpan(ByteReader &in)
{
    const Ns begin = in.get<Ns>();
    return {begin, in.get<Ns>()};
}
std::optional<TimeSpan> getOptionalSpan(ByteReader &in)
{
    const bool present = in.get<uint8_t>() != 0;
    const TimeSpan span = getSpan(in);
    return present ? std::optional(span) : std::nullopt;
}
RawId getRawId(ByteReader &in)
{
    const auto bits = in.get<int64_t>();
    return {bits, in.get<RawId::Kind>()};
}
std::optional<int64_t> getOptional(ByteReader &in)
{
    const bool present = in.get<uint8_t>() != 0;
    const auto number = in.get<int64_t>();
    return present ? std::optional(number) : std::nullopt;
}

void putInfo(ByteWriter &out, const TraceInfo &info)
{
    out.putText(info.format);
    out.putText(info.container);
    out.put(info.fileBytes);
    out.put(info.textBytes);
    out.put(info.events);
    out.put(info.recorded.begin);
    out.put(info.recorded.end);
    out.put<uint64_t>(info.eventsByPhase.size());
    for (const auto &[phase, count] : info.eventsByPhase) {
        out.putText(phase);
        out.put(count);
    }
    put(out, info.baseTimeNs);
    out.put<uint64_t>(info.clocks.size());
    for (const ClockReading &reading : info.clocks) {
        out.put(reading.time);
        out.put(reading.unixNs);
    }
    out.put<uint64_t>(info.metadata.size());
    for (const auto &[key, value] : info.metadata) {
        out.putText(key);
        out.putText(value);
    }
    put(out, info.rank);
    put(out, info.worldSize);
    put(out, info.part); // set only for a trimmed file: a trace that was read in part is not stored
    put(out, info.partSteps);
}

void getInfo(ByteReader &in, TraceInfo &info)
{
    info.format = in.getText();
    info.container = in.getText();
    info.fileBytes = in.get<uint64_t>();
    info.textBytes = in.get<uint64_t>();
    info.events = in.get<uint64_t>();
    info.recorded.begin = in.get<Ns>();
    info.recorded.end = in.get<Ns>();
    for (uint64_t left = in.getCount(16); left > 0; --left) {
        std::string phase(in.getText());
        info.eventsByPhase[phase] = in.get<uint64_t>();
    }
    info.baseTimeNs = getOptional(in);
    for (uint64_t left = in.getCount(16); left > 0; --left) {
        const Ns time = in.get<Ns>();
        info.clocks.push_back({time, in.get<int64_t>()});
    }
    for (uint64_t left = in.getCount(16); left > 0; --left) {
        std::string key(in.getText());
        info.metadata.emplace_back(std::move(key), in.getText());
    }
    info.rank = getOptional(in);
    info.worldSize = getOptional(in);
    info.part = getOptionalSpan(in);
    info.partSteps = getOptionalSpan(in);
    info.trimmedFile = info.part.has_value();
}

void putReport(ByteWriter &out, const ImportReport &report)
{
    out.put(static_cast<uint64_t>(Trouble::Count));
    for (size_t kind = 0; kind < static_cast<size_t>(Trouble::Count); ++kind) {
        const TroubleCount &trouble = report.of(static_cast<Trouble>(kind));
        out.put(trouble.count);
        out.put<uint64_t>(trouble.examples.size());
        for (const TroubleExample &example : trouble.examples) {
            out.put(example.offset);
            out.putText(example.text);
        }
    }
}

bool getReport(ByteReader &in, ImportReport &report)
{
    if (in.get<uint64_t>() != static_cast<uint64_t>(Trouble::Count))
        return false;
    for (size_t kind = 0; kind < static_cast<size_t>(Trouble::Count); ++kind) {
        TroubleCount &trouble = report.stored(static_cast<Trouble>(kind));
        trouble.count = in.get<uint64_t>();
        for (uint64_t left = in.getCount(16); left > 0; --left) {
            const auto offset = in.get<uint64_t>();
            trouble.examples.push_back({offset, std::string(in.getText())});
        }
    }
    return true;
}

void putLane(ByteWriter &out, const Lane &lane)
{
    out.put(lane.process.value);
    put(out, lane.tid);
    out.put(lane.kind);
    out.put(lane.name.value);
    out.put(lane.sortIndex);
    out.put<uint64_t>(lane.segments.size());
    for (const uint32_t segment : lane.segments)
        out.put(segment);
    out.put(lane.rows);
    out.put(lane.slices);
    out.put(lane.instantBegin);
    out.put(lane.instantEnd);
    out.put(lane.counterBegin);
    out.put(lane.counterEnd);
    out.put<uint8_t>(lane.empty);
    put(out, lane.span);
}

Lane getLane(ByteReader &in)
{
    Lane lane;
    lane.process = ProcessId(in.get<uint32_t>());
    lane.tid = getRawId(in);
    lane.kind = in.get<LaneKind>();
    lane.name = StringId(in.get<uint32_t>());
    lane.sortIndex = in.get<int64_t>();
    for (uint64_t left = in.getCount(4); left > 0; --left)
        lane.segments.push_back(in.get<uint32_t>());
    lane.rows = in.get<uint32_t>();
    lane.slices = in.get<uint64_t>();
    lane.instantBegin = in.get<uint32_t>();
    lane.instantEnd = in.get<uint32_t>();
    lane.counterBegin = in.get<uint32_t>();
    lane.counterEnd = in.get<uint32_t>();
    lane.empty = in.get<uint8_t>() != 0;
    lane.span = getSpan(in);
    return lane;
}

Process getProcess(ByteReader &in)
{
    Process process;
    process.pid = getRawId(in);
    process.name = StringId(in.get<uint32_t>());
    process.labels = StringId(in.get<uint32_t>());
    process.sortIndex = in.get<int64_t>();
    process.device = in.get<int32_t>();
    return process;
}

StoredSegment getSegment(ByteReader &in)
{
    StoredSegment segment;
    segment.lane = LaneId(in.get<uint32_t>());
    segment.firstSlice = in.get<uint32_t>();
    segment.slices = in.get<uint32_t>();
    segment.rowBegins = in.get<uint32_t>();
    segment.span = getSpan(in);
    return segment;
}

bool lanesFit(const Trace &trace, size_t segments)
{
    for (const Lane &lane : trace.lanes) {
        if (lane.process.valid() && lane.process.value >= trace.processes.size())
            return false;
        if (lane.kind > LaneKind::Counter || lane.instantBegin > lane.instantEnd || lane.counterBegin > lane.counterEnd)
            return false;
        for (const uint32_t segment : lane.segments) {
            if (segment >= segments)
                return false;
        }
    }
    return true;
}

} // namespace

std::string describeTrace(const Trace &trace)
{
    ByteWriter out;
    putInfo(out, trace.info);
    putReport(out, trace.report);
    put(out, trace.span);
    out.put<uint64_t>(trace.processes.size());
    for (const Process &process : trace.processes) {
        put(out, process.pid);
        out.put(process.name.value);
        out.put(process.labels.value);
        out.put(process.sortIndex);
        out.put(process.device);
    }
    out.put<uint64_t>(trace.lanes.size());
    for (const Lane &lane : trace.lanes)
        putLane(out, lane);
    out.put<uint64_t>(trace.segments.size());
    for (const auto &segment : trace.segments) {
        out.put(segment->lane.value);
        out.put(segment->firstSlice);
        out.put(segment->size());
        out.put(static_cast<uint32_t>(segment->rowBegin.size()));
        put(out, segment->span);
    }
    out.put<uint64_t>(trace.steps.size());
    for (const Step &step : trace.steps) {
        out.put(step.number);
        out.put(step.slice.value);
        put(out, step.span);
    }
    return out.take();
}

bool readDescription(std::string_view bytes, Trace &trace, std::vector<StoredSegment> &segments)
{
    ByteReader in(bytes);
    getInfo(in, trace.info);
    if (!getReport(in, trace.report))
        return false;
    trace.span = getSpan(in);
    for (uint64_t left = in.getCount(29); left > 0; --left)
        trace.processes.push_back(getProcess(in));
    for (uint64_t left = in.getCount(82); left > 0; --left)
        trace.lanes.push_back(getLane(in));
    uint64_t nextSlice = 0;
    for (uint64_t left = in.getCount(32); left > 0; --left) {
        const StoredSegment segment = getSegment(in);
        if (segment.firstSlice < nextSlice || segment.lane.value >= trace.lanes.size())
            return false;
        nextSlice = uint64_t{segment.firstSlice} + segment.slices;
        segments.push_back(segment);
    }
    for (uint64_t left = in.getCount(28); left > 0; --left) {
        Step step;
        step.number = in.get<int64_t>();
        step.slice = SliceId(in.get<uint32_t>());
        step.span = getSpan(in);
        trace.steps.push_back(step);
    }
    return in.ok() && in.left().empty() && nextSlice <= SliceId::kNone && lanesFit(trace, segments.size());
}

} // namespace riffle
