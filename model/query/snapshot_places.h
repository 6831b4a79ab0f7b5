// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/snapshot_facts.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// The places of a snapshot's stacks (eventPlace()) and the lines that called them, as texts that occur once.
class SnapshotPlaces {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    explicit SnapshotPlaces(const SnapshotFacts &facts);

    const std::vector<std::string> &texts() const { return m_texts; }
    /// Both return an index in texts(); kNone if nothing is known.
    uint32_t place(const AllocationStack &stack) const;
    uint32_t caller(uint32_t stack) const { return stack < m_callers.size() ? m_callers[stack] : kNone; }

private:
    std::vector<std::string> m_texts;
    std::vector<uint32_t> m_places, m_callers;        ///< per stack
    std::vector<uint32_t> m_fromBefore, m_unrecorded; ///< per stack: the places of AllocationStack's other kinds
};

} // namespace riffle
