// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/categories/memory_rules.h"
#include "model/trace/memory/memory_snapshot.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// The ranges that the program marked and that the sets of the rules name ("<range NAME>"), such as the steps of an
/// optimizer. They apply to all devices, because one step serves all devices of its process.
///
/// A range in which a range of another set starts is left out: an optimizer whose step calls a closure runs the forward
/// and the backward pass, and zero_grad, inside its step.
class ProgramRanges {
public:
    struct Start {
        int64_t time; ///< Unix nanoseconds
        uint64_t sets;
    };

    ProgramRanges(const MemorySnapshot &snapshot, const MemoryRules &rules);

    /// The sets whose ranges contain this time, both ends included, as bits.
    uint64_t setsAt(int64_t unixNs) const;
    /// The starts of the ranges, in order of time.
    const std::vector<Start> &starts() const { return m_starts; }

private:
    std::vector<Start> m_starts;
    std::vector<Start> m_changes; ///< from each time on, until the next one, the sets whose ranges are open
};

} // namespace riffle
