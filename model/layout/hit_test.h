// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/draw_list.h"

#include <optional>

namespace riffle {

/// What lies under a point of a section.
struct Hit {
    const LaneItem *item = nullptr; ///< null in empty space
    SliceRef slice;
    uint32_t row = 0; ///< drawing row under the point
    InstantId instant;
    Box box;                      ///< of the slice
    uint32_t crowd = 0;           ///< slices in the column
    std::optional<uint32_t> band; ///< of a strip of bands
};

/// Looks a point up in what was drawn, so that a click selects what is seen. `column`: device pixel; `y`: logical pixel
/// of the section. Ticks can be hit within `reach` columns.
Hit hitTest(const DrawList &list, const std::vector<LaneItem> &section, int column, int y, int reach);

} // namespace riffle
