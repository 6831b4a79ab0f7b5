// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/icicle.h"
#include "model/layout/tree_ink.h"

#include <cstdint>
#include <string>

namespace riffle {

using IcicleInk = TreeInk<IcicleBox>;

/// The icicle of all that lies in `root` as a picture that needs nothing else; what each box is stands in its tool tip.
std::string icicleSvg(const IcicleTree &tree, uint32_t root, double width, const IcicleInk &ink);

} // namespace riffle
