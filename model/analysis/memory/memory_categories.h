// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// What each allocation of a snapshot is for, and which rule says so.
class MemoryCategories {
public:
    struct Verdict {
        std::string category, rule;
        bool unknown = false;
    };

    const std::vector<Verdict> &verdicts() const { return m_verdicts; }
    /// Row of verdicts(). `device`: row of MemoryReplay::devices; `row`: of its allocations.
    uint32_t verdict(uint32_t device, uint32_t row) const { return m_rows[device][row]; }

private:
    std::vector<Verdict> m_verdicts;
    std::vector<std::vector<uint32_t>> m_rows; ///< by device and allocation
};

} // namespace riffle
