// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/flow_links.h"

#include <algorithm>

namespace riffle {

std::vector<FlowLink> flowLinks(const Trace &trace, SliceId slice, size_t limit)
{
    std::vector<FlowLink> links;
    const auto add = [&](SliceId from, SliceId to, uint32_t category) {
        if (!from.valid() || !to.valid() || from == to || links.size() >= limit)
            return;
        for (const FlowLink &link : links)
            if (link.from == from && link.to == to)
                return;
        links.push_back({from, to, category});
    };
    add(trace.launchOf(slice), slice, 0);
    for (const SliceId work : trace.launchedBy(slice))
        add(slice, work, 0);

    const FlowTable &flows = trace.flows;
    const auto sliceOf = [&flows](uint32_t row) { return SliceId(flows.slice.at(row, SliceId::kNone)); };
    auto bound = std::lower_bound(trace.flowsBySlice.begin(), trace.flowsBySlice.end(), slice.value,
                                  [&](uint32_t row, uint32_t value) { return sliceOf(row).value < value; });
    for (; bound != trace.flowsBySlice.end() && slice.valid() && sliceOf(*bound) == slice; ++bound) {
        const uint32_t row = *bound;
        const auto sameArrow = [&](uint32_t other) {
            return other < flows.time.size() && flows.category[other] == flows.category[row] &&
                   flows.id[other] == flows.id[row];
        };
        // Ids may be reused, so a start point starts a new arrow.
        if (row > 0 && sameArrow(row - 1) && flows.phase[row] != 's' && flows.phase[row - 1] != 'f')
            add(sliceOf(row - 1), slice, flows.category[row]);
        if (sameArrow(row + 1) && flows.phase[row] != 'f' && flows.phase[row + 1] != 's')
            add(slice, sliceOf(row + 1), flows.category[row]);
    }
    return links;
}

SliceId alongFlow(const Trace &trace, SliceId slice, int direction)
{
    for (const FlowLink &link : flowLinks(trace, slice)) {
        if (direction > 0 && link.from == slice)
            return link.to;
        if (direction < 0 && link.to == slice)
            return link.from;
    }
    return {};
}

} // namespace riffle
