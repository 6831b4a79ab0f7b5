// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/perfetto/packet_state.h"

#include "model/base/decimal.h"
#include "model/ingest/perfetto/fields.h"
#include "model/ingest/perfetto/wire_reader.h"

#include <algorithm>
#include <array>
#include <vector>

namespace riffle {

using namespace perfetto;

namespace {

constexpr uint64_t kBytesOfSequence = 1024;
/// Fields of a packet besides its content, and the marker between packets.
constexpr std::array kHeaderFields = {3u, 36u, 79u, 87u, 88u, 98u};

Ns clamped(WideInteger time) { return static_cast<Ns>(std::clamp<WideInteger>(time, kEarliestTime, kLatestTime)); }

} // namespace

uint64_t PacketState::clockKey(uint64_t clock, uint64_t sequence)
{
    // The clocks of a sequence are numbers of that sequence alone.
    return clock < clocks::kFirstOfSequence ? clock : clock | (sequence << 16);
}

std::optional<Ns> PacketState::toTraceTime(uint64_t time, uint64_t clock, uint64_t sequence)
{
    if (clock == 0 || clock == clocks::kBoottime)
        return clamped(time);
    const auto found = m_clocks.find(clockKey(clock, sequence));
    if (found == m_clocks.end())
        return std::nullopt;
    const Ns converted = clamped(static_cast<WideInteger>(time) * found->second.multiplier + found->second.offset);
    if (found->second.incremental)
        found->second.offset = converted;
    return converted;
}

void PacketState::readClocks(std::string_view snapshot, uint64_t sequence)
{
    struct Read {
        uint64_t id = 0, time = 0;
        Clock clock;
    };
    std::vector<Read> read;
    WireReader reader(snapshot);
    while (const auto field = reader.next()) {
        if (field->number != clocks::kClock || !field->isBytes())
            continue;
        Read &one = read.emplace_back();
        WireReader parts(field->bytes);
        while (const auto part = parts.next()) {
            if (part->number == clocks::kId)
                one.id = part->value;
            else if (part->number == clocks::kTime)
                one.time = part->value;
            else if (part->number == clocks::kIncremental)
                one.clock.incremental = part->value != 0;
            else if (part->number == clocks::kMultiplier)
                one.clock.multiplier = std::clamp<uint64_t>(part->value, 1, 1'000'000'000);
        }
    }
    const auto boot =
        std::find_if(read.begin(), read.end(), [](const Read &one) { return one.id == clocks::kBoottime; });
    if (boot == read.end())
        return;
    const Ns now = clamped(boot->time);
    for (Read &one : read) {
        const WideInteger own = static_cast<WideInteger>(one.time) * one.clock.multiplier;
        one.clock.offset = one.clock.incremental ? now : clamped(now - own);
        if (one.id == clocks::kRealtime && !m_unixOffset)
            m_unixOffset = clamped(own - now);
        m_bytes += m_clocks.insert_or_assign(clockKey(one.id, sequence), one.clock).second ? kBytesOfSequence / 16 : 0;
    }
}

void PacketState::readDefaults(std::string_view defaults, Sequence &sequence)
{
    WireReader reader(defaults);
    while (const auto field = reader.next()) {
        if (field->number == packet::kClockId && field->isVarint())
            sequence.clock = field->value;
        if (field->number != packet::kTrackEvent || !field->isBytes())
            continue;
        WireReader events(field->bytes);
        while (const auto part = events.next())
            if (part->number == event::kTrack && part->isVarint())
                sequence.track = part->value;
    }
}

PerfettoPacket PacketState::read(const PacketReader::Packet &packet)
{
    PerfettoPacket read;
    read.offset = packet.offset;
    std::optional<uint64_t> time;
    uint64_t clock = 0;
    bool cleared = false;
    WireReader reader(packet.bytes);
    while (const auto field = reader.next()) {
        const std::string_view bytes = field->bytes;
        switch (field->number) {
        case packet::kTimestamp: time = field->value; break;
        case packet::kSequence: read.sequence = field->value; break;
        case packet::kSequenceFlags: cleared |= (field->value & packet::kFlagStateCleared) != 0; break;
        case packet::kStateCleared: cleared |= field->value != 0; break;
        case packet::kDropped: read.dropped = field->value; break;
        case packet::kClockId: clock = field->value; break;
        case packet::kDefaults: read.defaults = bytes; break;
        case packet::kClockSnapshot: read.clockSnapshot = bytes; break;
        case packet::kInternedData: read.internedData = bytes; break;
        case packet::kTrackDescriptor: read.trackDescriptor = bytes; break;
        case packet::kTrackEvent:
            read.trackEvent = bytes;
            read.hasTrackEvent = true;
            break;
        case packet::kRenderStage:
            read.renderStage = bytes;
            read.hasRenderStage = true;
            break;
        case packet::kGpuCounter:
            read.gpuCounter = bytes;
            read.hasGpuCounter = true;
            break;
        default:
            if (std::find(kHeaderFields.begin(), kHeaderFields.end(), field->number) == kHeaderFields.end())
                read.unknownKind = field->number;
        }
    }
    read.broken = reader.broken();
    if (read.broken)
        return read;
    const auto [found, added] = m_sequences.try_emplace(read.sequence);
    m_bytes += added ? kBytesOfSequence : 0;
    Sequence &sequence = found->second;
    if (cleared) {
        m_bytes -= sequence.namesBytes;
        sequence = {};
    }
    if (!read.defaults.empty())
        readDefaults(read.defaults, sequence);
    if (!read.clockSnapshot.empty())
        readClocks(read.clockSnapshot, read.sequence);
    if (m_withNames && !read.internedData.empty()) {
        const uint64_t bytes = sequence.names.add(read.internedData, m_broken);
        sequence.namesBytes += bytes;
        m_bytes += bytes;
    }
    if (time)
        read.time = toTraceTime(*time, clock ? clock : sequence.clock, read.sequence);
    return read;
}

} // namespace riffle
