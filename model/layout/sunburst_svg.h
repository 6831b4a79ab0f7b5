// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/sunburst.h"
#include "model/layout/tree_ink.h"

#include <cstdint>
#include <string>

namespace riffle {

using SunburstInk = TreeInk<SunburstArc>;

/// The sunburst as a picture that needs nothing else; what each piece is stands in its tool tip.
std::string sunburstSvg(const IcicleTree &tree, uint32_t root, double radius, const SunburstInk &ink);

} // namespace riffle
