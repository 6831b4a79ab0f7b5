// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// Rows of a tree, each behind the one that it is in, and how many each is in.
struct TreeOrder {
    std::vector<uint32_t> nodes, depth;
};

/// The nodes that count, with all that they are in. `parents` are smaller numbers, or none (UINT32_MAX); siblings stand
/// in the order of their own `first` or that of what is in them.
TreeOrder treeOrder(std::span<const uint32_t> parents, std::vector<uint8_t> counts, std::vector<Ns> first);

} // namespace riffle
