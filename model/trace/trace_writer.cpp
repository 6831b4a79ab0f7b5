// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/seeded_hash.h"
#include "model/trace/trace_builder.h"

#include <algorithm>
#include <cassert>

namespace riffle {

TraceWriter::TraceWriter(std::shared_ptr<ColumnMemory> memory)
    : m_slices(memory)
    , m_placements(memory)
    , m_operators(memory)
    , m_python(memory)
    , m_device(memory)
    , m_collectives(memory)
    , m_syncs(memory)
    , m_halves(memory)
    , m_memoryEvents(memory)
    , m_instants(memory)
    , m_counters(memory)
    , m_flows(memory)
{
    beginBatch(0);
}

void TraceWriter::beginBatch(uint64_t sequence)
{
    assert(m_placements.rows() == m_slices.rows() || outOfMemory());
    Batch &batch = m_batches.emplace_back();
    batch.sequence = sequence;
    batch.slices = m_slices.rows();
    batch.operators = m_operators.rows();
    batch.python = m_python.rows();
    batch.device = m_device.rows();
    batch.collectives = m_collectives.rows();
    batch.syncs = m_syncs.rows();
    batch.halves = m_halves.rows();
    batch.memory = m_memoryEvents.rows();
    batch.instants = m_instants.rows();
    batch.counters = m_counters.rows();
    batch.flows = m_flows.rows();
    batch.strings = m_strings.count();
    batch.lanes = static_cast<uint32_t>(m_lanes.size());
    batch.metadata = m_metadata.size();
    m_lastLane = UINT32_MAX; // so that every batch updates the first offsets of its lanes
}

void TraceWriter::discardFrom(uint64_t sequence)
{
    while (m_batches.size() > 1 && m_batches.back().sequence >= sequence) {
        assert(m_batches[m_batches.size() - 2].sequence <= m_batches.back().sequence);
        const Batch &batch = m_batches.back();
        m_slices.truncate(batch.slices);
        m_placements.truncate(batch.slices);
        m_operators.truncate(batch.operators);
        m_python.truncate(batch.python);
        m_device.truncate(batch.device);
        m_collectives.truncate(batch.collectives);
        m_syncs.truncate(batch.syncs);
        m_halves.truncate(batch.halves);
        m_memoryEvents.truncate(batch.memory);
        m_instants.truncate(batch.instants);
        m_counters.truncate(batch.counters);
        m_flows.truncate(batch.flows);
        m_metadata.resize(batch.metadata);
        m_strings.truncate(batch.strings);
        for (size_t lane = batch.lanes; lane < m_lanes.size(); ++lane)
            m_laneNumbers.erase(m_lanes[lane].key);
        m_lanes.resize(batch.lanes);
        m_lastLane = UINT32_MAX;
        m_batches.pop_back();
    }
}

size_t LaneKeyHash::operator()(const LaneKey &key) const
{
    const auto mix = [](uint64_t seed, uint64_t value) { return (seed ^ value) * 0x9E3779B97F4A7C15ull; };
    uint64_t hash = mix(hashSeed() ^ static_cast<uint64_t>(key.kind), static_cast<uint64_t>(key.pid.bits));
    hash = mix(hash ^ (hash >> 29), static_cast<uint64_t>(key.tid.bits));
    hash = mix(hash ^ (hash >> 31),
               key.name | static_cast<uint64_t>(key.pid.kind) << 32 | static_cast<uint64_t>(key.tid.kind) << 40);
    return hash ^ (hash >> 32);
}

uint32_t TraceWriter::lane(const LaneKey &key, uint64_t offset)
{
    if (m_lastLane != UINT32_MAX && key == m_lastKey)
        return m_lastLane;
    const auto [found, added] = m_laneNumbers.try_emplace(key, static_cast<uint32_t>(m_lanes.size()));
    if (added)
        m_lanes.push_back({key, offset});
    else
        m_lanes[found->second].firstOffset = std::min(m_lanes[found->second].firstOffset, offset);
    m_lastKey = key;
    m_lastLane = found->second;
    return m_lastLane;
}

void TraceWriter::countPhaseText(std::string_view phase) { ++m_batches.back().otherPhases[std::string(phase)]; }

void TraceWriter::slice(const SliceRow &row, uint32_t lane)
{
    m_slices.append(row);
    m_placements.append({lane, UINT32_MAX});
}

void TraceWriter::slice(SliceRow row, uint32_t lane, const OperatorRow &detail)
{
    assert(lane < m_lanes.size() && row.duration >= 0);
    row.detail = SliceDetail::Operator;
    m_placements.append({lane, m_operators.rows()});
    m_operators.append(detail);
    m_slices.append(row);
}

void TraceWriter::slice(SliceRow row, uint32_t lane, const PythonRow &detail)
{
    assert(lane < m_lanes.size() && row.duration >= 0);
    row.detail = SliceDetail::Python;
    m_placements.append({lane, m_python.rows()});
    m_python.append(detail);
    m_slices.append(row);
}

void TraceWriter::slice(SliceRow row, uint32_t lane, const DeviceRow &detail)
{
    assert(lane < m_lanes.size() && row.duration >= 0);
    row.detail = SliceDetail::Device;
    m_placements.append({lane, m_device.rows()});
    m_device.append(detail);
    m_slices.append(row);
}

void TraceWriter::collective(CollectiveRow row)
{
    assert(m_slices.rows() > 0 || outOfMemory());
    row.slice = m_slices.rows() - 1; // the writer's row until the seal
    m_collectives.append(row);
}

void TraceWriter::sync(SyncRow row)
{
    assert(m_slices.rows() > 0 || outOfMemory());
    row.slice = m_slices.rows() - 1;
    m_syncs.append(row);
}

void TraceWriter::freeSpare()
{
    const auto free = [](auto &...tables) { (tables.freeSpare(), ...); };
    free(m_slices, m_placements, m_operators, m_python, m_device, m_collectives, m_syncs, m_halves, m_memoryEvents,
         m_instants, m_counters, m_flows);
}

bool TraceWriter::outOfMemory() const
{
    return m_slices.outOfMemory() || m_placements.outOfMemory() || m_operators.outOfMemory() ||
           m_python.outOfMemory() || m_device.outOfMemory() || m_collectives.outOfMemory() || m_syncs.outOfMemory() ||
           m_halves.outOfMemory() || m_memoryEvents.outOfMemory() || m_instants.outOfMemory() ||
           m_counters.outOfMemory() || m_flows.outOfMemory();
}

} // namespace riffle
