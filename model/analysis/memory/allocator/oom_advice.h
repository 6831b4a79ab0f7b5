// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/oom_report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

class MemoryCategories;

/// Something that would have left more memory for a failed allocation, and how much. Advice that rests on the guess
/// what an allocation is for is marked as a guess.
struct OomAdvice {
    enum class Enough : uint8_t { No, Perhaps, Yes };

    uint32_t failure = 0;       ///< row of the failures
    std::string what;           ///< "wait for pending frees"
    uint64_t bytes = 0;         ///< what it frees or makes usable in this snapshot; never 0
    Enough enough = Enough::No; ///< whether the request would have succeeded; Perhaps if `bytes` is only an upper limit
    bool guess = false;
    std::string where; ///< the place in the program, if there is one
    std::string explanation;
};

/// The advice for failures, the most helpful first; for the first ten failures only.
std::vector<OomAdvice> adviceOnFailures(const SnapshotFacts &facts, const std::vector<OutOfMemory> &all,
                                        const MemoryCategories &categories, const Task &task);
/// One row per advice.
ResultTable adviceTable(const SnapshotFacts &facts, const std::vector<OutOfMemory> &all,
                        const std::vector<OomAdvice> &advice);

} // namespace riffle
