// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// The nodes of a tree, each one after its parent, and their depths.
struct TreeOrder {
    std::vector<uint32_t> nodes, depth;
};

/// The nodes that count, with all their ancestors. A parent must have a smaller number than its children; it is
/// UINT32_MAX if there is none. Siblings are ordered by the smallest `first` among themselves and the nodes inside
/// them.
TreeOrder treeOrder(std::span<const uint32_t> parents, std::vector<uint8_t> counts, std::vector<Ns> first);

} // namespace riffle
