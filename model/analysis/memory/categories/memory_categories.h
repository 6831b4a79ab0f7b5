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
/// guess the category from the allocation's stacks and lifetime; it is unknown if no rule applies. If nothing but the
/// size of an allocation is known, a rule may infer the category from the size; then the category itself says so, as in
/// "parameter (inferred)".
class MemoryCategories {
public:
    struct Verdict {
        std::string category, rule;
        bool unknown = false;
        bool own = false;      ///< recorded in the snapshot; otherwise guessed
        bool inferred = false; ///< from the size alone
    };

    MemoryCategories(const SnapshotFacts &facts, const MemoryRules &rules);

    const std::vector<Verdict> &verdicts() const { return m_verdicts; }
    /// The allocation's row of verdicts(). `device` is a row of MemoryReplay::devices, `row` one of its allocations.
    uint32_t verdict(uint32_t device, uint32_t row) const { return m_rows[device][row]; }

private:
    void inferFromSizes(const MemorySnapshot &snapshot, const DeviceReplay &replay, const MemoryRules &rules,
                        uint32_t device);

    std::vector<Verdict> m_verdicts;         ///< first the verdicts of the rules, then the two unknown ones, then those
                                             ///< recorded in the snapshot and those inferred for a device
    std::vector<BigVector<uint32_t>> m_rows; ///< per device and allocation
};

} // namespace riffle
