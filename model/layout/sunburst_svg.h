// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/sunburst.h"

#include <cstdint>
#include <functional>
#include <string>

namespace riffle {

/// What a sunburst says and looks like, node by node. Colours are 0xRRGGBB.
struct SunburstInk {
    std::function<std::string(uint32_t)> name;
    std::function<std::string(uint32_t)> value; ///< in full; of IcicleTree::kNone the whole
    std::function<uint32_t(const SunburstArc &)> colour;
    uint32_t canvas = 0xFFFFFF;
    uint32_t text = 0x000000;
    std::string title;
};

/// The sunburst as a picture that needs nothing else; what each piece is stands in its tool tip.
std::string sunburstSvg(const IcicleTree &tree, uint32_t root, double radius, const SunburstInk &ink);

} // namespace riffle
