// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/operators/tree_order.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// The line that turns recording of frames and modules on.
inline constexpr const char *kStackAdvice = "torch.profiler records them with with_stack=True (with_modules=True does "
                                            "so for TorchScript), Megatron-LM with --torch-profile-with-stack.";

/// What a module took, by numbers of FrameChains::modules. A call of a module is one slice; times in ns.
struct ModuleTimes {
    uint64_t occurrences = 0; ///< calls that start inside what is asked about
    uint64_t cut = 0;         ///< calls that reach over its edges
    uint64_t operators = 0;   ///< that were called in it and in no module inside, those of its backward pass included
    Ns hostTotal = 0;
    Ns hostSelf = 0;               ///< without the modules called inside
    Ns deviceSelf = 0;             ///< of the work that its operators launched
    Ns deviceTotal = 0;            ///< and those of all modules inside
    Ns deviceBackward = 0;         ///< the part of deviceTotal that backward operators launched
    uint32_t longest = UINT32_MAX; ///< SliceId of the longest call
    Ns longestDuration = -1;
    Ns first = kLatestTime; ///< start of the first of its calls that have time in the scope

    bool any() const { return occurrences || cut || operators || deviceTotal; }
};

struct ModuleTree {
    std::vector<ModuleTimes> modules;
    uint64_t operatorsWithout = 0;
    Ns deviceWithout = 0; ///< device time that belongs to no module
};

ModuleTree moduleTree(const Scope &scope);

/// Rows of the modules in which anything counts, those of one in the order in which they are first called there.
TreeOrder moduleOrder(const FrameChains &chains, const ModuleTree &tree);

} // namespace riffle
