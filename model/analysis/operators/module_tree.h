// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/operators/tree_order.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// The times of a module, in ns. A call of a module is one slice.
struct ModuleTimes {
    uint64_t occurrences = 0; ///< calls that start inside the scope
    uint64_t cut = 0;         ///< calls that extend beyond the scope
    uint64_t operators = 0;   ///< those called in it but not in a module inside it, including its backward pass
    Ns hostTotal = 0;
    Ns hostSelf = 0;               ///< without the modules called inside it
    Ns deviceSelf = 0;             ///< time of the work that its operators launched
    Ns deviceTotal = 0;            ///< deviceSelf, plus that of all modules inside
    Ns deviceBackward = 0;         ///< the part of deviceTotal that backward operators launched
    uint32_t longest = UINT32_MAX; ///< SliceId of the longest call
    Ns longestDuration = -1;
    Ns first = kLatestTime; ///< start of its first call that has time in the scope

    bool any() const { return occurrences || cut || operators || deviceTotal; }
};

struct ModuleTree {
    std::vector<ModuleTimes> modules; ///< parallel to FrameChains::modules
    uint64_t operatorsWithout = 0;
    Ns deviceWithout = 0; ///< device time that belongs to no module
};

ModuleTree moduleTree(const Scope &scope);

/// The rows of the modules with anything in the scope. Modules inside the same module are in order of their first call.
TreeOrder moduleOrder(const FrameChains &chains, const ModuleTree &tree);

} // namespace riffle
