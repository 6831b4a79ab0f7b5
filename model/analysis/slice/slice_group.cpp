// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/slice/slice_group.h"

#include "model/base/interval_set.h"

#include <algorithm>
#include <vector>

namespace riffle {

SliceGroup groupOf(const TraceSet &set, std::span<const SliceRef> slices)
{
    std::vector<SliceRef> once(slices.begin(), slices.end());
    std::ranges::sort(once);
    once.erase(std::ranges::unique(once).begin(), once.end());
    SliceGroup group;
    BigVector<TimeSpan> spans;
    for (const SliceRef &ref : once) {
        const Trace *trace = set.trace(ref.trace);
        const auto slice = trace ? trace->slice(ref.slice) : std::nullopt;
        if (!slice)
            continue;
        const TimeSpan span = set.time(ref.trace).toSet(TimeSpan{slice->data.start, slice->end()});
        group.span = group.count == 0
                         ? span
                         : TimeSpan{std::min(group.span.begin, span.begin), std::max(group.span.end, span.end)};
        ++group.count;
        group.sum += slice->data.duration;
        spans.push_back(span);
    }
    group.covered = IntervalSet::unionOf(std::move(spans)).length();
    return group;
}

} // namespace riffle
