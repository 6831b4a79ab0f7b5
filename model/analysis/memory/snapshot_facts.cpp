// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/snapshot_facts.h"

#include <cassert>

namespace riffle {

SnapshotFacts::SnapshotFacts(std::shared_ptr<const MemorySnapshot> snapshot) : m_snapshot(std::move(snapshot)) {}

SnapshotFacts::SnapshotFacts(std::shared_ptr<const MemorySnapshot> snapshot, MemoryReplay replay)
    : m_snapshot(std::move(snapshot))
{
    assert(m_snapshot);
    std::call_once(m_replayed, [&] { m_replay = std::move(replay); });
}

const MemoryReplay &SnapshotFacts::replay() const
{
    std::call_once(m_replayed, [this] { m_replay = replayMemory(*m_snapshot, {}); });
    return m_replay;
}

const AliveIndex &SnapshotFacts::alive(uint32_t device) const
{
    std::call_once(m_indexed, [this] {
        for (const DeviceReplay &one : replay().devices)
            m_alive.emplace_back(*m_snapshot, one);
    });
    assert(device < m_alive.size());
    return m_alive[device];
}

const MemoryStacks &SnapshotFacts::stacks() const
{
    std::call_once(m_read, [this] { m_stacks.emplace(*m_snapshot); });
    return *m_stacks;
}

} // namespace riffle
