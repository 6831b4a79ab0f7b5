// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/categories/memory_rules.h"
#include "model/analysis/memory/snapshot_facts.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// What each allocation of a snapshot is for, and which rule says so. What the snapshot itself says comes first: an
/// allocation's category (user_metadata is free text, no category). All else is a guess by rules over its stacks and
/// its lifetime; what no rule holds for is unknown.
class MemoryCategories {
public:
    struct Verdict {
        std::string category, rule;
        bool unknown = false;
        bool own = false; ///< said by the snapshot; else it is guessed
    };

    MemoryCategories(const SnapshotFacts &facts, const MemoryRules &rules);

    const std::vector<Verdict> &verdicts() const { return m_verdicts; }
    /// Row of verdicts(). `device`: row of MemoryReplay::devices; `row`: of its allocations.
    uint32_t verdict(uint32_t device, uint32_t row) const { return m_rows[device][row]; }

private:
    std::vector<Verdict> m_verdicts; ///< the first ones are those of the rules, behind them the two unknown ones, then
                                     ///< the snapshot's own
    std::vector<std::vector<uint32_t>> m_rows; ///< by device and allocation
};

} // namespace riffle
