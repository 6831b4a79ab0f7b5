// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/categories/memory_rules.h"
#include "model/analysis/memory/snapshot_facts.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// The category of each allocation of a snapshot, which says what it is for, and the rule that decided it. A category
/// that the snapshot itself records takes precedence (user_metadata is free text, not a category). Otherwise rules
/// guess the category from the allocation's stacks and lifetime; it is unknown if no rule applies.
class MemoryCategories {
public:
    struct Verdict {
        std::string category, rule;
        bool unknown = false;
        bool own = false; ///< recorded in the snapshot; otherwise guessed
    };

    MemoryCategories(const SnapshotFacts &facts, const MemoryRules &rules);

    const std::vector<Verdict> &verdicts() const { return m_verdicts; }
    /// The allocation's row of verdicts(). `device` is a row of MemoryReplay::devices, `row` one of its allocations.
    uint32_t verdict(uint32_t device, uint32_t row) const { return m_rows[device][row]; }

private:
    std::vector<Verdict> m_verdicts;         ///< first the verdicts of the rules, then the two unknown ones, then those
                                             ///< recorded in the snapshot
    std::vector<BigVector<uint32_t>> m_rows; ///< per device and allocation
};

} // namespace riffle
