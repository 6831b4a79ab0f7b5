// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/icicle.h"
#include "model/layout/tree_ink.h"

#include <cstdint>
#include <string>

namespace riffle {

using IcicleInk = TreeInk<IcicleBox>;

/// Returns the icicle of `root` as a self-contained picture; each box has a tool tip with its name and value.
std::string icicleSvg(const IcicleTree &tree, uint32_t root, double width, const IcicleInk &ink);

} // namespace riffle
