// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/names_of_lanes.h"
#include "model/trace/seal/sealer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <map>
#include <numeric>

namespace riffle {

void Sealer::mergeCounts()
{
    TraceInfo &info = m_trace->info;
    TimeSpan recorded = info.recorded.empty() ? TimeSpan{INT64_MAX, INT64_MIN} : info.recorded;
    for (const auto &writer : m_writers) {
        for (const auto &batch : writer->m_batches) {
            for (size_t phase = 0; phase < batch.phases.size(); ++phase)
                if (batch.phases[phase]) {
                    info.eventsByPhase[phase ? std::string(1, static_cast<char>(phase)) : std::string()] +=
                        batch.phases[phase];
                    info.events += batch.phases[phase];
                }
            for (const auto &[phase, count] : batch.otherPhases) {
                info.eventsByPhase[phase] += count;
                info.events += count;
            }
            m_trace->report.merge(batch.report);
            recorded.begin = std::min(recorded.begin, batch.recorded.begin);
            recorded.end = std::max(recorded.end, batch.recorded.end);
        }
    }
    info.recorded = recorded.begin > recorded.end ? TimeSpan{} : recorded;
}

void Sealer::mergeStrings()
{
    assert(m_stringIds.empty());
    StringInterner all;
    std::vector<std::vector<uint32_t>> mergedIds(m_writers.size());
    for (size_t writer = 0; writer < m_writers.size(); ++writer) {
        const StringInterner &own = m_writers[writer]->m_strings;
        mergedIds[writer].resize(own.count());
        for (uint32_t id = 0; id < own.count(); ++id)
            mergedIds[writer][id] = all.intern(own.text(id), own.firstOffset(id));
    }
    // Ids follow the first occurrences in the source; texts that start at the same byte (a key read in two ways) are
    // ordered by their bytes.
    std::vector<uint32_t> order(all.count());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin() + 1, order.end(), [&](uint32_t a, uint32_t b) {
        return std::pair(all.firstOffset(a), all.text(a)) < std::pair(all.firstOffset(b), all.text(b));
    });
    std::vector<uint32_t> finalId(order.size());
    size_t bytes = 0;
    for (uint32_t id = 0; id < order.size(); ++id) {
        finalId[order[id]] = id;
        bytes += all.text(order[id]).size();
    }
    ColumnDraft<char> text(*m_memory, bytes);
    ColumnDraft<uint64_t> begins(*m_memory, order.size() + 1);
    if (!text.ok() || !begins.ok()) {
        m_outOfMemory = true;
        return;
    }
    uint64_t at = 0;
    for (uint32_t id = 0; id < order.size(); ++id) {
        const std::string_view one = all.text(order[id]);
        begins.data()[id] = at;
        std::memcpy(text.data() + at, one.data(), one.size());
        at += one.size();
    }
    assert(at == bytes);
    begins.data()[order.size()] = at;
    m_trace->strings = {text.column(), begins.column()};
    for (auto &ids : mergedIds)
        for (uint32_t &id : ids)
            id = finalId[id];
    m_stringIds = std::move(mergedIds);
}

RawId Sealer::textIdToTrace(uint32_t writer, RawId id) const
{
    if (id.kind == RawId::Kind::Text)
        id.bits = string(writer, static_cast<uint32_t>(id.bits));
    return id;
}

void Sealer::mergeLanes()
{
    assert(m_stringIds.size() == m_writers.size() && m_seenLanes.empty());
    std::vector<SeenLane> seen;
    std::unordered_map<LaneKey, uint32_t, LaneKeyHash> numbers;
    m_laneIds.resize(m_writers.size());
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer) {
        for (const auto &entry : m_writers[writer]->m_lanes) {
            LaneKey key = entry.key;
            key.pid = textIdToTrace(writer, key.pid);
            key.tid = textIdToTrace(writer, key.tid);
            key.name = string(writer, key.name);
            const auto [found, added] = numbers.try_emplace(key, static_cast<uint32_t>(seen.size()));
            if (added)
                seen.push_back({key, entry.firstOffset});
            else
                seen[found->second].firstOffset = std::min(seen[found->second].firstOffset, entry.firstOffset);
            m_laneIds[writer].push_back(found->second);
        }
    }
    // The order is that of the source, regardless of which writer read a lane.
    std::vector<uint32_t> order(seen.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return std::pair(seen[a].firstOffset, seen[a].key.kind) < std::pair(seen[b].firstOffset, seen[b].key.kind);
    });
    std::vector<uint32_t> place(order.size());
    for (uint32_t at = 0; at < order.size(); ++at) {
        place[order[at]] = at;
        m_seenLanes.push_back(seen[order[at]]);
    }
    for (auto &ids : m_laneIds)
        for (uint32_t &id : ids)
            id = place[id];
}

/// Returns where the source has the first row of each lane; UINT64_MAX for lanes without rows.
std::vector<uint64_t> Sealer::firstRows() const
{
    std::vector<uint64_t> first(m_seenLanes.size(), UINT64_MAX);
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer) {
        const auto take = [&](const auto &lanes, const auto &places) {
            assert(lanes.rows() == places.rows());
            for (uint32_t row = 0; row < places.rows(); ++row) {
                const uint32_t block = row >> kBlockBits, at = row & (kBlockRows - 1);
                uint64_t &offset = first[m_laneIds[writer][lanes.blocks()[block].columns.lane[at]]];
                offset = std::min(offset, places.blocks()[block].columns.sourceOffset[at]);
            }
        };
        const TraceWriter &own = *m_writers[writer];
        take(own.m_placements, own.m_slices);
        take(own.m_memoryEvents, own.m_memoryEvents);
        take(own.m_instants, own.m_instants);
        take(own.m_counters, own.m_counters);
        take(own.m_flows, own.m_flows);
    }
    return first;
}

/// Numbers the lanes in the order of their first rows. An event that becomes no row must not count, because a part of
/// the trace that is written as a file of its own does not contain it. Only begins and ends can be such events; without
/// them, a lane's first row is where the source first mentions it.
void Sealer::numberLanes()
{
    assert(m_trace->lanes.empty());
    const std::vector<SeenLane> &seen = m_seenLanes;
    std::vector<uint32_t> order(seen.size());
    std::iota(order.begin(), order.end(), 0u);
    if (m_hasHalves) {
        const std::vector<uint64_t> first = firstRows();
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return first[a] < first[b]; });
    }
    std::vector<uint32_t> finalId(order.size());
    std::map<std::tuple<RawId::Kind, int64_t, bool>, uint32_t> processes;
    const auto own = static_cast<uint32_t>(std::min<size_t>(order.size(), Trace::kMaxLanes));
    for (uint32_t id = 0; id < own; ++id) {
        finalId[order[id]] = id;
        const LaneKey &key = seen[order[id]].key;
        const bool device = key.kind == LaneKind::Stream;
        const auto [found, added] = processes.try_emplace({key.pid.kind, key.pid.bits, device},
                                                          static_cast<uint32_t>(m_trace->processes.size()));
        if (added) {
            Process &process = m_trace->processes.emplace_back();
            process.pid = key.pid;
            if (device && key.pid.kind == RawId::Kind::Signed && key.pid.bits >= 0 && key.pid.bits < 65536)
                process.device = static_cast<int32_t>(key.pid.bits);
        }
        Lane &lane = m_trace->lanes.emplace_back();
        lane.process = ProcessId(found->second);
        lane.tid = key.tid;
        lane.kind = key.kind;
        if (key.kind == LaneKind::Async || key.kind == LaneKind::Counter)
            lane.name = StringId(key.name);
    }
    std::array<uint32_t, 4> shared;
    shared.fill(LaneId::kNone);
    for (uint32_t at = own; at < order.size(); ++at) {
        const SeenLane &more = seen[order[at]];
        uint32_t &id = shared[static_cast<size_t>(more.key.kind)];
        if (id == LaneId::kNone)
            id = addSharedLane(more.key.kind);
        finalId[order[at]] = id;
        m_trace->report.add(Trouble::LimitReached, more.firstOffset, "more lanes than the limit");
    }
    for (auto &ids : m_laneIds)
        for (uint32_t &id : ids)
            id = finalId[id];
}

/// Adds a lane that takes the contents of lanes beyond Trace::kMaxLanes. All these lanes belong to one additional
/// process.
uint32_t Sealer::addSharedLane(LaneKind kind)
{
    if (m_firstSharedLane == LaneId::kNone) {
        m_firstSharedLane = static_cast<uint32_t>(m_trace->lanes.size());
        m_trace->processes.emplace_back().name = StringId(appendString("more lanes"));
    }
    Lane &lane = m_trace->lanes.emplace_back();
    lane.process = ProcessId(static_cast<uint32_t>(m_trace->processes.size() - 1));
    lane.kind = kind;
    lane.name = m_trace->processes.back().name;
    return static_cast<uint32_t>(m_trace->lanes.size() - 1);
}

uint32_t Sealer::appendString(std::string_view text)
{
    const StringTable &old = m_trace->strings;
    ColumnDraft<char> bytes(*m_memory, old.bytes.size() + text.size());
    ColumnDraft<uint64_t> begins(*m_memory, old.begins.size() + 1);
    if (!bytes.ok() || !begins.ok()) {
        m_outOfMemory = true;
        return 0;
    }
    std::copy(text.begin(), text.end(), std::copy(old.bytes.begin(), old.bytes.end(), bytes.data()));
    std::copy(old.begins.begin(), old.begins.end(), begins.data());
    begins.data()[old.begins.size()] = old.bytes.size() + text.size();
    m_trace->strings = {bytes.column(), begins.column()};
    return m_trace->strings.count() - 1;
}

void Sealer::applyMetadata()
{
    std::vector<MetadataRow> rows;
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer)
        for (MetadataRow row : m_writers[writer]->m_metadata) {
            row.pid = textIdToTrace(writer, row.pid);
            row.tid = textIdToTrace(writer, row.tid);
            row.text = string(writer, row.text);
            rows.push_back(row);
            if (m_rowless && row.sourceLength)
                m_rowless->push_back({row.sourceOffset, row.sourceLength});
        }
    applyNames(std::move(rows), *m_trace);
}

} // namespace riffle
