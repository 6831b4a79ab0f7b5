// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/landscape.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace riffle {

/// One column of pixels of a picture of a landscape.
struct LandscapeColumn {
    uint32_t slot = 0;  ///< which one is shown
    int64_t active = 0; ///< bytes of all allocations in it: what is no band of its own ends there
};

struct LandscapeLook {
    std::span<const LandscapeColumn> columns;
    double bottom = 0; ///< bytes at the lower edge of the picture
    double bytesPerPixel = 1;
    int32_t height = 0;                ///< pixels
    std::span<const uint32_t> colours; ///< a band, 0xffrrggbb
    uint32_t background = 0;
    uint32_t rest[2] = {0, 0}; ///< of what is no band of its own, in slanted stripes
    /// Where it is set: makes columns [first, last), which are then painted by the same worker.
    std::function<void(size_t first, size_t last)> makeColumns = {};
};

/// Paints the stacks column by column, the first row of `pixels` on top, each `stride` pixels long. A pixel has the
/// colour of what is at its centre; bands of a few pixels have a darker edge on top. Takes what its pixels take, on all
/// cores.
void paintLandscape(const Landscape &landscape, const LandscapeLook &look, uint32_t *pixels, size_t stride);

} // namespace riffle
