// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/growth/growing_slice.h"
#include "model/trace/growth/segment_maker.h"
#include "model/trace/long_slices.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace riffle {

/// A long slice of a lane that grows (see LaneGrowth) until it is closed.
struct LongSlice {
    GrowingSlice slice; ///< as it was seen open, without a duration, until it ends
    Ns end = NestedSpan::kOpen;
    uint32_t row = 0;
    Ns rootTime = 0;        ///< how much of it slices without a parent in their segments cover
    Ns childrenOwn = 0;     ///< total own() of the closed long slices directly inside
    bool irregular = false; ///< something inside crosses something: self time must be computed from the slices
    bool closed = false;
    Ns self = 0; ///< once it is closed

    bool isOpen() const { return end == NestedSpan::kOpen; }
    NestedSpan span() const { return {slice.row.start, end, slice.id, isOpen() ? UINT64_MAX : slice.row.sourceOffset}; }
    /// The time that local slices do not cover, up to `now` if it is open. Without the own time of the long slices
    /// inside, this is the self time.
    Ns own(Ns now) const { return (isOpen() ? now : end) - slice.row.start - rootTime; }
};

/// The segments of long slices. A page has at most kSlices slices and is made again while one of them is not closed.
class LongPages {
public:
    static constexpr size_t kSlices = 64;

    LongSlice &add(LongSlice slice);
    void remove(LongSlice &slice);
    /// Notes that the slice has changed.
    void changed(const LongSlice &slice);
    /// Calls visit(segment) for all pages. `selfOf` gives the self times of slices that are not closed.
    void visit(LaneId lane, Ns now, const std::function<Ns(const LongSlice &)> &selfOf,
               const std::function<void(const std::shared_ptr<const Segment> &)> &visit);
    /// True if a slice of the row overlaps the span.
    bool isTaken(uint32_t row, TimeSpan span) const;
    /// Removes the pages of closed slices that all ended before this time; calls left(slice) for each of the slices.
    /// Returns how many there are.
    uint64_t leaveBefore(Ns time, const std::function<void(const NestedSpan &)> &left);
    /// Changes the self time of a closed slice of a segment.
    void setSelf(SliceId id, Ns self);
    /// Sets the external id of a slice that has none; does nothing if there is no such slice.
    void setExternalId(SliceId id, int64_t externalId);

private:
    struct Page {
        std::vector<std::unique_ptr<LongSlice>> slices; ///< empty once all are closed and the page is full
        std::shared_ptr<const Segment> made;            ///< null if something has changed since
        uint32_t level = 0;
        bool isFinal = false;
    };
    Page *pageOf(SliceId id);
    void make(Page &page, LaneId lane, Ns now, const std::function<Ns(const LongSlice &)> &selfOf);
    /// Merges pages that never change again.
    void mergeFinal();
    static std::shared_ptr<const Segment> joined(std::span<const Page> pages);

    std::vector<Page> m_pages;
};

} // namespace riffle
