// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace riffle {

/// The texts and colours of a saved picture of a tree, node by node. `Piece` is the type of a drawn piece. Colours are
/// 0xRRGGBB.
template <typename Piece>
struct TreeInk {
    std::function<std::string(uint32_t)> name;
    std::function<std::string(uint32_t)> value; ///< in full; for kNone, the total, which only a sunburst shows
    std::function<uint32_t(const Piece &)> colour;
    uint32_t canvas = 0xFFFFFF;
    uint32_t text = 0x000000;
    std::string title;
};

} // namespace riffle
