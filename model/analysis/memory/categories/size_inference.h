// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/categories/memory_rules.h"
#include "model/analysis/memory/memory_replay.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace riffle {

/// The allocations for which a rule with sized_like holds.
struct SizeMatch {
    uint32_t rule = 0;          ///< row of MemoryRules::rules
    double covered = 0;         ///< how well the rule fits: the share of the bytes of the category `sizedLike` whose
                                ///< counterparts are there, 0 to 1
    std::vector<uint32_t> rows; ///< of the device's allocations
};

/// Infers categories from sizes alone, for allocations of which nothing else is known (`unexplained`: from before the
/// history, without a stack, never freed). Every gradient has a parameter of its size, so if there are as many
/// unexplained allocations of a size as gradients, they are probably parameters. A single match may be chance, so a
/// rule holds only if at least nine tenths of the bytes of the known category have counterparts.
///
/// For a size, the number of allocations with a category is the most that were alive at once. A rule holds for all
/// unexplained allocations of a size or for none, because they cannot be told apart.
std::vector<SizeMatch> matchSizes(const MemorySnapshot &snapshot, const DeviceReplay &device, const MemoryRules &rules,
                                  const std::function<std::string_view(uint32_t row)> &categoryOf,
                                  const std::vector<uint32_t> &unexplained);

} // namespace riffle
