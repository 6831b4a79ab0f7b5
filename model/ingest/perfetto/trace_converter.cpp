// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/perfetto/trace_converter.h"

#include "model/ingest/perfetto/fields.h"

#include <fmt/format.h>

#include <utility>

namespace riffle {

using namespace perfetto;

namespace {

constexpr size_t kTextAtOnce = 1 << 20;
constexpr uint64_t kMostEdges = 1ull << 31; ///< begins or ends that SlicePairs can number

} // namespace

TraceConverter::TraceConverter(std::string path, OpenBytes open, uint64_t memoryLimit, Task task)
    : m_path(std::move(path))
    , m_open(std::move(open))
    , m_memoryLimit(memoryLimit)
    , m_task(std::move(task))
    , m_json(std::make_unique<EventJson>(m_text, m_report))
{
}

Result<void> TraceConverter::withinLimits(const PacketState &state, uint64_t offset) const
{
    constexpr uint64_t kBytesOfFlow = 48;
    const uint64_t bytes =
        m_pairs.edges() * SlicePairs::kBytesOfEdge + m_tracks.bytes() + state.bytes() + m_flows.size() * kBytesOfFlow;
    if (bytes > m_memoryLimit || m_pairs.edges() >= kMostEdges)
        return Error{"The slices, tracks and names of the trace take more memory than is allowed.", m_path, offset,
                     ErrorKind::Limit};
    return {};
}

uint32_t TraceConverter::trackOf(const TrackEventFields &event, PacketState &state, uint64_t sequence)
{
    return m_tracks.index(event.track.value_or(state.defaultTrack(sequence)));
}

Result<void> TraceConverter::scan()
{
    auto source = m_open();
    if (!source)
        return source.error();
    PacketReader reader(**source);
    PacketState state(false);
    while (const auto packet = reader.next()) {
        if (m_task.stopped())
            return Error{"The import was cancelled.", m_path, std::nullopt, ErrorKind::Cancelled};
        scanPacket(state.read(*packet), state);
        if (const Result<void> within = withinLimits(state, packet->offset); !within)
            return within;
        if (m_task.progress) {
            m_task.progress->bytesTotal = 2 * (*source)->fileBytes();
            m_task.progress->bytesDone = (*source)->mapped() ? reader.offset() : (*source)->fileBytesRead();
        }
    }
    if (reader.error())
        return *reader.error();
    m_unixOffset = state.unixOffset();
    m_pairs.pair();
    return {};
}

void TraceConverter::scanPacket(const PerfettoPacket &packet, PacketState &state)
{
    if (packet.broken)
        return;
    if (!packet.trackDescriptor.empty() && !m_tracks.describe(packet.trackDescriptor))
        m_report.add(Trouble::BrokenEvent, packet.offset, "A track descriptor");
    if (!packet.hasTrackEvent || !packet.time || !m_event.read(packet.trackEvent))
        return;
    if (m_event.type == event::kBegin)
        m_pairs.begin(trackOf(m_event, state, packet.sequence), *packet.time);
    else if (m_event.type == event::kEnd)
        m_pairs.end(trackOf(m_event, state, packet.sequence), *packet.time);
}

Result<bool> TraceConverter::convert(std::string &out)
{
    if (m_done)
        return false;
    if (!m_source) {
        auto source = m_open();
        if (!source)
            return source.error();
        m_source = std::move(*source);
        m_reader = std::make_unique<PacketReader>(*m_source);
        m_text += "{\n";
        if (m_unixOffset)
            m_text += fmt::format("\"baseTimeNanoseconds\": {},\n", *m_unixOffset);
        m_text += "\"traceEvents\": [";
        for (uint32_t track = 0; track < m_tracks.count(); ++track)
            m_json->names(m_tracks, track);
    }
    while (m_text.size() < kTextAtOnce) {
        if (m_task.stopped())
            return Error{"The import was cancelled.", m_path, std::nullopt, ErrorKind::Cancelled};
        const auto packet = m_reader->next();
        if (!packet) {
            if (m_reader->error())
                return *m_reader->error();
            // Pages of a mapped file that are lost in the meantime read as zeros; this reports the loss.
            if (const auto whole = m_source->text()->read(0, 0); !whole)
                return whole.error();
            finishReport();
            m_text += "\n]}\n";
            m_done = true;
            break;
        }
        convertPacket(m_state.read(*packet));
        if (const Result<void> within = withinLimits(m_state, packet->offset); !within)
            return within.error();
    }
    out += m_text;
    m_text.clear();
    return true;
}

/// Counts what a packet contains that has no place among the events.
void TraceConverter::reportPacket(const PerfettoPacket &packet)
{
    if (packet.dropped)
        m_report.add(Trouble::DroppedRecords, packet.offset, "Packets before this one were dropped.", packet.dropped);
    if (packet.unknownKind == packet::kCompressed)
        m_report.add(Trouble::BrokenEvent, packet.offset, "Packets that are compressed inside a packet");
    else if (packet.unknownKind)
        m_report.add(Trouble::IgnoredPhase, packet.offset,
                     fmt::format("A packet of kind {}, which is not read.", packet.unknownKind));
    if ((packet.hasTrackEvent || packet.hasRenderStage || packet.hasGpuCounter) && !packet.time)
        m_report.add(Trouble::MissingTimestamp, packet.offset, "An event without a time on a known clock.");
}

void TraceConverter::convertPacket(const PerfettoPacket &packet)
{
    if (packet.broken) {
        m_report.add(Trouble::BrokenEvent, packet.offset, "A damaged packet");
        return;
    }
    reportPacket(packet);
    if (!packet.time)
        return;
    m_json->from(m_state.names(packet.sequence), packet.offset);
    if (packet.hasTrackEvent)
        convertTrackEvent(packet);
    if (packet.hasRenderStage && !m_json->renderStage(packet.renderStage, *packet.time))
        m_report.add(Trouble::BrokenEvent, packet.offset, "A damaged stage of a GPU");
    if (packet.hasGpuCounter && !m_json->gpuCounters(packet.gpuCounter, *packet.time))
        m_report.add(Trouble::BrokenEvent, packet.offset, "A damaged counter of a GPU");
}

void TraceConverter::convertTrackEvent(const PerfettoPacket &packet)
{
    if (!m_event.read(packet.trackEvent)) {
        m_report.add(Trouble::BrokenEvent, packet.offset, "A damaged event of a track");
        return;
    }
    const uint32_t index = trackOf(m_event, m_state, packet.sequence);
    PerfettoTracks::Track &track = m_tracks.track(index);
    switch (m_event.type) {
    case event::kBegin:
        m_json->slice(m_event, m_tracks, index, *packet.time, m_pairs.duration(m_begins++));
        return addFlows(m_event, index, *packet.time);
    case event::kEnd:
        if (m_pairs.unmatched(m_ends++))
            m_report.add(Trouble::UnmatchedEnd, packet.offset, "The end of a slice");
        return;
    case event::kInstant:
        m_json->instant(m_event, m_tracks, index, *packet.time);
        return addFlows(m_event, index, *packet.time);
    case event::kCounterType: {
        double value =
            m_event.realCounter.value_or(static_cast<double>(m_event.counter)) * static_cast<double>(track.multiplier);
        if (track.isIncremental)
            value = track.sum += value;
        return m_json->counter(m_tracks, index, *packet.time, value);
    }
    default:
        m_report.add(Trouble::UnknownPhase, packet.offset,
                     fmt::format("An event of type {}, which is not read.", m_event.type));
    }
}

void TraceConverter::addFlows(const TrackEventFields &event, uint32_t track, Ns time)
{
    for (const uint64_t id : event.flows)
        m_json->flow(m_flows.insert(id).second ? 's' : 't', id, m_tracks, track, time);
    for (const uint64_t id : event.lastFlows) {
        m_flows.erase(id);
        m_json->flow('f', id, m_tracks, track, time);
    }
}

void TraceConverter::finishReport()
{
    if (m_reader->damage())
        m_report.add(Trouble::TruncatedText, m_reader->offset(), m_reader->damage());
    if (m_reader->skippedPackets())
        m_report.add(Trouble::OversizedEvent, 0, "Packets of more than 64 MiB", m_reader->skippedPackets());
    if (m_state.brokenNames())
        m_report.add(Trouble::UnknownString, 0, "Damaged entries of interned data", m_state.brokenNames());
}

} // namespace riffle
