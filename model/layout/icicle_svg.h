// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/icicle.h"

#include <cstdint>
#include <functional>
#include <string>

namespace riffle {

/// What an icicle says and looks like, node by node. Colours are 0xRRGGBB.
struct IcicleInk {
    std::function<std::string(uint32_t)> name;
    std::function<std::string(uint32_t)> value; ///< in full
    std::function<uint32_t(const IcicleBox &)> colour;
    uint32_t canvas = 0xFFFFFF;
    uint32_t text = 0x000000;
    std::string title;
};

/// The icicle of all that lies in `root` as a picture that needs nothing else; what each box is stands in its tool tip.
std::string icicleSvg(const IcicleTree &tree, uint32_t root, double width, const IcicleInk &ink);

} // namespace riffle
