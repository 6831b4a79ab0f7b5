// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/bands.h"
#include "model/trace/trace_set.h"

#include <string>

namespace riffle {

/// What a picture of the timeline for a document looks like.
struct TimelinePicture {
    int width = 1200; ///< pixels, with the column of titles
    int titleWidth = 170;
    int rowHeight = 13;
    uint32_t laneRows = 12; ///< most drawing rows of a lane
    int height = 900;       ///< most pixels; lanes below are left out, and that is said
};

/// The lanes of a set in a range as an <svg> element: streams first, threads below, a time axis on top. What it holds
/// is bounded by its pixels. Colours are CSS classes (c0 … c11, axis, title, heading), so that the document's style
/// decides.
std::string timelineSvg(const TraceSet &set, TimeSpan range, const SetBands &bands,
                        const TimelinePicture &picture = {});

/// The class of a name's colour, 0 to 11: the same everywhere and always.
unsigned svgColour(std::string_view name);
/// Text for XML and HTML.
std::string escapedXml(std::string_view text);

} // namespace riffle
