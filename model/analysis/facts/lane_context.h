// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/slice_reader.h"
#include "model/base/stopping.h"
#include "model/trace/per_slice.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// The value of slices in a context that is not filled yet, and that of slices with no numbered slice around them.
inline constexpr uint32_t kContextUnknown = UINT32_MAX - 1, kContextNone = UINT32_MAX;

/// Gives each slice of a lane that has no number that of the nearest numbered slice around it, or kContextNone. Before,
/// `context` has the numbers of the numbered slices and kContextUnknown elsewhere. `isNumbered(id, number)` tells
/// whether the number is the slice's own. Calls visit(number, around) for the numbered slices.
template <typename IsNumbered, typename Visit>
void fillContext(const Trace &trace, const std::vector<const Segment *> &lane, PerSlice<uint32_t> &context,
                 IsNumbered isNumbered, Visit visit)
{
    SliceReader reader(trace);
    std::vector<uint32_t> path;
    const auto resolve = [&](uint32_t from) {
        path.clear();
        uint32_t found = kContextNone;
        // Stop at a slice of another lane: only a damaged store has such a parent.
        while (path.size() < kMaxAncestors && reader.seek(from) && reader.lane() == lane.front()->lane) {
            if (context[from] != kContextUnknown) {
                found = context[from];
                break;
            }
            path.push_back(from);
            from = reader.parent();
        }
        for (const uint32_t at : path)
            context[at] = found;
        return found;
    };
    for (const Segment *segment : lane) {
        const std::span<uint32_t> own = context.of(*segment);
        for (uint32_t at = 0; at < segment->size(); ++at) {
            throwIfStoppedAt(at);
            const SliceId above = trace.parentOf(*segment, at);
            const uint32_t near = segment->indexOf(above);
            uint32_t around = near == kNoRow ? kContextUnknown : own[near];
            if (around == kContextUnknown)
                around = above.valid() ? resolve(above.value) : kContextNone;
            if (own[at] < kContextUnknown && isNumbered(segment->idAt(at).value, own[at]))
                visit(own[at], around);
            else
                own[at] = around;
        }
    }
}

} // namespace riffle
