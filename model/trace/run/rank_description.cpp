// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/run/rank_description.h"

#include "model/base/byte_stream.h"

namespace riffle {

namespace {

template <typename T>
void putOptional(ByteWriter &out, const std::optional<T> &value)
{
    out.put<uint8_t>(value.has_value());
    if (value)
        out.put(*value);
}

template <typename T>
std::optional<T> getOptional(ByteReader &in)
{
    if (!in.get<bool>())
        return std::nullopt;
    return in.get<T>();
}

TimeSpan getSpan(ByteReader &in)
{
    const Ns begin = in.get<Ns>();
    return {begin, in.get<Ns>()};
}

bool isSane(TimeSpan span) { return span.begin >= kEarliestTime && span.begin <= span.end && span.end <= kLatestTime; }

} // namespace

std::string describeRank(const RankFacts &facts)
{
    ByteWriter out;
    out.putText(facts.format);
    putOptional(out, facts.rank);
    putOptional(out, facts.worldSize);
    out.putText(facts.host);
    putOptional(out, facts.pid);
    putOptional(out, facts.baseTimeNs);
    out.put<uint64_t>(facts.clocks.size());
    for (const ClockReading &reading : facts.clocks) {
        out.put(reading.time);
        out.put(reading.unixNs);
    }
    for (const TimeSpan span : {facts.span, facts.asked, facts.recorded}) {
        out.put(span.begin);
        out.put(span.end);
    }
    out.put(facts.slices);
    out.put(facts.bytes);
    out.put<uint64_t>(facts.devices.size());
    for (const DeviceRecord &device : facts.devices) {
        out.put(device.number);
        out.putText(device.name);
        putOptional(out, device.memoryBytes);
    }
    putOptional(out, facts.worst);
    out.put<uint8_t>(facts.ofTraining);
    out.put(facts.overlappingSteps);
    return out.take();
}

bool readRankDescription(std::string_view bytes, RankFacts &facts)
{
    ByteReader in(bytes);
    facts.format = in.getText();
    facts.rank = getOptional<int64_t>(in);
    facts.worldSize = getOptional<int64_t>(in);
    facts.host = in.getText();
    facts.pid = getOptional<int64_t>(in);
    facts.baseTimeNs = getOptional<int64_t>(in);
    facts.clocks.resize(static_cast<size_t>(in.getCount(2 * sizeof(int64_t))));
    for (ClockReading &reading : facts.clocks) {
        reading.time = in.get<Ns>();
        reading.unixNs = in.get<int64_t>();
    }
    facts.span = getSpan(in);
    facts.asked = getSpan(in);
    facts.recorded = getSpan(in);
    facts.slices = in.get<uint64_t>();
    facts.bytes = in.get<uint64_t>();
    facts.devices.resize(static_cast<size_t>(in.getCount(sizeof(int64_t) + sizeof(uint64_t) + 1)));
    for (DeviceRecord &device : facts.devices) {
        device.number = in.get<int64_t>();
        device.name = in.getText();
        device.memoryBytes = getOptional<int64_t>(in);
    }
    facts.worst = getOptional<Severity>(in);
    facts.ofTraining = in.get<bool>();
    facts.overlappingSteps = in.get<uint64_t>();
    return in.ok() && in.left().empty() && facts.worst.value_or(Severity::Note) <= Severity::Lost &&
           isSane(facts.span) && isSane(facts.asked) && isSane(facts.recorded);
}

} // namespace riffle
