// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/sunburst.h"
#include "model/layout/tree_ink.h"

#include <cstdint>
#include <string>

namespace riffle {

using SunburstInk = TreeInk<SunburstArc>;

/// Returns the sunburst of `root` as a self-contained picture; each piece has a tool tip with its name and value.
std::string sunburstSvg(const IcicleTree &tree, uint32_t root, double radius, const SunburstInk &ink);

} // namespace riffle
