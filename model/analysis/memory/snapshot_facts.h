// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/alive_index.h"
#include "model/analysis/memory/memory_replay.h"
#include "model/analysis/memory/memory_stacks.h"
#include "model/base/lazy.h"
#include "model/trace/memory/memory_snapshot.h"

#include <deque>
#include <memory>

namespace riffle {

/// A snapshot and the facts derived from it. Each fact is computed once, when a thread first needs it; other threads
/// that need it wait. If the StopScope of all threads that wait for a fact is stopped, they get Stopped, and the fact
/// is computed when it is next needed. All users of a snapshot share one of these objects.
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
    Lazy<MemoryReplay> m_replay;
    Lazy<std::deque<AliveIndex>> m_alive;
    Lazy<MemoryStacks> m_stacks;
};

} // namespace riffle
