// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/squeezed_lanes.h"

#include <algorithm>

namespace riffle {

std::optional<SqueezedLane::Place> SqueezedLane::find(SliceId slice, Ns start) const
{
    for (const Segment &segment : segments) {
        if (start < segment.span.begin || start > segment.span.end)
            continue;
        const std::span<const Ns> starts = segment.slices.start.span();
        for (uint32_t row = 0; row < segment.rows(); ++row) {
            const auto end = starts.begin() + segment.rowBegin[row + 1];
            for (auto at = std::lower_bound(starts.begin() + segment.rowBegin[row], end, start);
                 at != end && *at == start; ++at)
                if (const auto index = static_cast<uint32_t>(at - starts.begin());
                    sliceOf(segment.idAt(index).value) == slice)
                    return Place{&segment, index};
        }
    }
    return std::nullopt;
}

} // namespace riffle
