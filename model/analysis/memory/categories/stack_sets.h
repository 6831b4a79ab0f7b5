// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/categories/memory_rules.h"
#include "model/analysis/memory/categories/program_ranges.h"
#include "model/analysis/memory/snapshot_facts.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// The sets of the rules to which the stacks and events of a snapshot belong, as bits; see MemoryRules::sets. The
/// snapshot must outlive this object.
class StackSets {
public:
    StackSets(const SnapshotFacts &facts, const MemoryRules &rules);

    /// The sets of a stack with frames; none for the stack without frames.
    uint64_t ofStack(uint32_t stack) const { return m_ofStack[stack]; }
    /// The sets of an event: those of its stack. If it has none, those of the program's ranges at its time; without
    /// such a range, those that contain "<no frames>", if other events of its kind have frames.
    uint64_t ofEvent(uint32_t event) const;
    const ProgramRanges &ranges() const { return m_ranges; }

private:
    const MemorySnapshot &m_snapshot;
    ProgramRanges m_ranges;
    std::vector<uint64_t> m_ofStack;
    uint64_t m_allocWithout = 0, m_freeWithout = 0; ///< the sets of events without frames and outside all ranges
};

} // namespace riffle
