// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/landscape.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace riffle {

/// One pixel column of the picture of a landscape.
struct LandscapeColumn {
    uint32_t slot = 0;  ///< the slot that is shown
    int64_t active = 0; ///< bytes of all allocations in the slot, which is the top of those without a band
};

struct LandscapeLook {
    std::span<const LandscapeColumn> columns;
    double bottom = 0; ///< bytes at the lower edge of the picture
    double bytesPerPixel = 1;
    int32_t height = 0;                ///< pixels
    std::span<const uint32_t> colours; ///< per band, 0xffrrggbb
    uint32_t background = 0;
    uint32_t rest[2] = {0, 0}; ///< the two colours of allocations without a band, drawn as slanted stripes
    /// If set, computes columns [first, last), which the same worker then paints.
    std::function<void(size_t first, size_t last)> makeColumns = {};
};

/// Paints the stacks column by column. The first row of `pixels` is the top one; each row is `stride` pixels long. A
/// pixel has the colour of what is at its centre; bands that are at least a few pixels high have a darker edge on top.
/// The cost depends only on the number of pixels; all workers share it.
void paintLandscape(const Landscape &landscape, const LandscapeLook &look, uint32_t *pixels, size_t stride);

} // namespace riffle
