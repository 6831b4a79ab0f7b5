// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/alive_index.h"
#include "model/analysis/memory/memory_replay.h"
#include "model/analysis/memory/memory_stacks.h"
#include "model/trace/memory/memory_snapshot.h"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>

namespace riffle {

/// A snapshot and the facts derived from it. Each fact is computed once, when a thread first needs it; other threads
/// that need it wait. All users of a snapshot share one of these objects.
class SnapshotFacts {
public:
    explicit SnapshotFacts(std::shared_ptr<const MemorySnapshot> snapshot);
    /// For a snapshot whose replay is already known.
    SnapshotFacts(std::shared_ptr<const MemorySnapshot> snapshot, MemoryReplay replay);
    SnapshotFacts(const SnapshotFacts &) = delete;
    SnapshotFacts &operator=(const SnapshotFacts &) = delete;

    const MemorySnapshot &snapshot() const { return *m_snapshot; }
    const MemoryReplay &replay() const;
    /// `device` is a row of MemoryReplay::devices.
    const AliveIndex &alive(uint32_t device) const;
    const MemoryStacks &stacks() const;

private:
    std::shared_ptr<const MemorySnapshot> m_snapshot;
    mutable std::once_flag m_replayed, m_indexed, m_read;
    mutable MemoryReplay m_replay;
    mutable std::deque<AliveIndex> m_alive;
    mutable std::optional<MemoryStacks> m_stacks;
};

} // namespace riffle
