// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace riffle::cli {

/// The CSS of the page, for light and dark screens. Its colours are those of the window: the classes c0, c1, … for the
/// names of slices and r0, r1, … for the parts of a step, on0, on1, … and onr0, onr1, … for text on them.
std::string reportStyle();

} // namespace riffle::cli
