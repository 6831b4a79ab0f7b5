// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/draw_list.h"

#include <optional>

namespace riffle {

/// The item of a draw list at a point of a section.
struct Hit {
    const LaneItem *item = nullptr; ///< null in empty space
    SliceRef slice;
    uint32_t row = 0; ///< drawing row under the point
    InstantId instant;
    Box box;                      ///< the slice's box
    uint32_t crowd = 0;           ///< number of slices in the most crowded column of the box (Box::count)
    std::optional<uint32_t> band; ///< index of the band in a strip of bands
};

/// Looks up a point in the drawn picture, so that a click selects what the user sees. `column` is a device pixel, `y` a
/// logical pixel of the section. Ticks can be hit within `reach` columns.
Hit hitTest(const DrawList &list, const std::vector<LaneItem> &section, int column, int y, int reach);

} // namespace riffle
