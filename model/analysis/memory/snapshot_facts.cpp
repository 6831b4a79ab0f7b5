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
    m_replay.get([&] { return std::make_unique<const MemoryReplay>(std::move(replay)); });
}

const MemoryReplay &SnapshotFacts::replay() const
{
    return m_replay.get([this] {
        return std::make_unique<const MemoryReplay>(replayMemory(*m_snapshot, {StopScope::current(), nullptr}));
    });
}

const AliveIndex &SnapshotFacts::alive(uint32_t device) const
{
    const std::deque<AliveIndex> &all = m_alive.get([this] {
        auto made = std::make_unique<std::deque<AliveIndex>>();
        for (const DeviceReplay &one : replay().devices)
            made->emplace_back(*m_snapshot, one);
        return std::unique_ptr<const std::deque<AliveIndex>>(std::move(made));
    });
    assert(device < all.size());
    return all[device];
}

const MemoryStacks &SnapshotFacts::stacks() const
{
    return m_stacks.get([this] { return std::make_unique<const MemoryStacks>(*m_snapshot); });
}

} // namespace riffle
