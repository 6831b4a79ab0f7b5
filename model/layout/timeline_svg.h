// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/bands.h"
#include "model/trace/trace_set.h"
#include "model/trace/work_class.h"

#include <string>

namespace riffle {

/// The look of a picture of the timeline in a document.
struct TimelinePicture {
    int width = 1200; ///< pixels, including the column of titles
    int titleWidth = 170;
    int rowHeight = 13;
    uint32_t laneRows = 12; ///< maximum number of drawing rows of a lane
    int height = 900;       ///< maximum in pixels; lanes below that are left out, with a note
};

/// Returns the lanes of a set in a range as an <svg> element: streams first, threads below, a time axis on top. The
/// size of the text is bounded by the number of pixels. Colours are CSS classes, so that the document's style
/// determines them: k with a row of classFills() for a slice whose trace has classes, c with a row of nameColours() for
/// others; onk and onc for the names on them; idleline for the hatch of idle times; axis, title, heading.
std::string timelineSvg(const TraceSet &set, TimeSpan range, const SetBands &bands, const SetWorkClasses &classes = {},
                        const TimelinePicture &picture = {});

/// Returns the text escaped for XML and HTML.
std::string escapedXml(std::string_view text);

} // namespace riffle
