// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/growth/growing_slice.h"
#include "model/trace/growth/growth_memory.h"
#include "model/trace/growth/long_page.h"
#include "model/trace/growth/merge_thread.h"
#include "model/trace/growth/segment_maker.h"
#include "model/trace/growth/slice_ids.h"
#include "model/trace/long_slices.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace riffle {

/// How much of a lane may be settled and wait for a moment that no slice contains.
struct LanePatience {
    size_t slices = 16'384;
    Ns time = 1'000'000'000;
};

/// A lane that grows: takes its slices as they arrive and puts them into segments, which never change.
///
/// The lane closes one stretch of time after another, up to its settled mark. A slice that is inside of one stretch
/// is *local*: it goes into a segment of that stretch and is nested there, once. A slice that contains the end of a
/// stretch, and every slice that was seen open, is *long*: it goes into a segment of long slices, and LongSlices knows
/// it. So a local slice never contains a long one, and its ancestors are known for ever, except for the long slice
/// around the outermost of them, which is looked up. What has arrived but is not settled is *pending*: it is shown in
/// segments that last until it closes.
class LaneGrowth {
public:
    enum class Policy : uint8_t {
        Nested, ///< every slice can be a parent
        Flat    ///< no slice is a parent; rows by concurrency
    };
    /// `ids`, `memory` and `merger` are not owned and outlive the lane, `memory` also the merger.
    LaneGrowth(LaneId lane, Policy policy, SliceIds &ids, GrowthMemory &memory, MergeThread &merger,
               LanePatience patience = {});

    /// Adds a slice that has ended, and returns its id.
    SliceId add(SliceRow row, std::unique_ptr<SideRows> side);
    /// Sets the slices that are open, outer ones first, flagged as Unfinished; only for Nested. Slices that were open,
    /// have not ended and are not among them leave the lane.
    void setOpen(std::span<const SliceRow> open);
    /// Sets the external id of a slice that has none.
    void setExternalId(SliceId slice, int64_t externalId);
    /// Closes what ended before `mark`: from now on, slices that are added end at or after it. A slice that comes
    /// nevertheless is put where it belongs, at the cost of making segments again. So if slices come late, what ended
    /// shortly before the mark is closed only later: as much later as slices have been late, at most kMostHeldBack.
    void settle(Ns mark);

    /// Ends what is open at `now` and closes everything: the recording is over.
    void finish(Ns now);

    /// Calls visit(end, slices) for each segment of closed local slices, oldest first: nothing in it ends later.
    void visitStretches(const std::function<void(Ns end, uint32_t slices)> &visit) const;
    /// Takes the closed segments that end at this time or before out of the lane, and returns how many slices have left
    /// it. What comes late for a time that has left is shown nevertheless.
    uint64_t leaveBefore(Ns time);

    /// The lane in one generation.
    struct View {
        std::vector<std::shared_ptr<const Segment>> segments; ///< in order of time
        std::shared_ptr<const LongSlices> longSlices;         ///< null if Flat
        uint32_t rows = 0;
        uint64_t slices = 0;
    };
    /// Calls visit(slice) for all slices that are open.
    template <typename F>
    void visitOpen(F visit) const
    {
        for (const LongSlice *one : m_active)
            if (one->isOpen())
                visit(one->slice);
    }
    /// Returns the lane as it is now. Slices that are open end at `now`.
    View view(Ns now);
    bool outOfIds() const { return m_outOfIds; }

private:
    /// A closed stretch of time, or several that were merged.
    struct Piece {
        std::shared_ptr<const Segment> segment;
        TimeSpan stretch;
        Ns rootTime = 0;    ///< total duration of the slices that have no parent in the segment
        uint32_t level = 0; ///< how often it was merged
        static constexpr uint32_t kLargest = UINT32_MAX; ///< the level of pieces that are too large to be merged
    };
    /// Slices that are pending and arrived together.
    struct Bucket {
        std::vector<GrowingSlice> slices;
        std::vector<uint32_t> rows; ///< kNoRow: not yet placed
        std::shared_ptr<const Segment> made;
        Ns firstStart = INT64_MAX, firstEnd = INT64_MAX, lastEnd = INT64_MIN; ///< of its slices
        SliceId firstId = SliceId(UINT32_MAX), lastId = SliceId(0);           ///< smallest and largest

        void add(GrowingSlice slice, uint32_t row);
    };

    SliceId newId(SliceIds::Block &block);
    LongSlice &addLong(GrowingSlice slice, Ns end);
    SliceId endLong(LongSlice &ended, SliceRow row, std::unique_ptr<SideRows> side);
    /// Takes a slice of a stretch that is closed; placeLate() puts it where it belongs.
    SliceId addLate(SliceRow row, std::unique_ptr<SideRows> side);
    void placeLate();
    void addLateLong(GrowingSlice slice);
    /// The piece whose stretch contains the span; null if none does.
    Piece *pieceAround(const NestedSpan &span);
    /// Moves the long slices that are now inside of a late one from their former parent to it.
    void adoptLongSlices(LongSlice &late);
    void removeLong(LongSlice &gone);
    void markIrregular(TimeSpan span);

    Ns boundaryFor(Ns mark);
    /// Makes the pending slices that contain the boundary long.
    void makeLongAround(Ns boundary);
    /// Takes the slices that end before the boundary, and the rows in which they stand, out of the buckets.
    std::vector<GrowingSlice> takePending(Ns boundary, std::vector<uint32_t> &rows);
    void closeStretch(Ns boundary);
    Piece closedPiece(std::vector<GrowingSlice *> slices, TimeSpan stretch);
    void closeLongSlices(Ns boundary);
    /// Adds a piece, and has pieces merged if there are enough of a level.
    void keep(Piece piece);
    void mergePieces();
    void startMerge(std::vector<std::shared_ptr<const Segment>> segments, uint64_t slices);
    /// Puts the result of a merge that is done in the place of the pieces.
    void takeMerged();
    struct NestedPiece {
        PieceNesting nesting;
        std::vector<uint32_t> rows;
        std::vector<TimeSpan> crossing; ///< the spans of the slices that cross longer ones
    };
    /// Nests local slices among the long ones. `slices` are in the order in which they nest; their flags are set.
    NestedPiece nest(std::span<GrowingSlice *const> slices, TimeSpan stretch);
    std::shared_ptr<const Segment> makeFlat(std::vector<GrowingSlice> &slices, const std::vector<uint32_t> &rows);
    /// The total duration of the slices without a parent that a long slice contains.
    Ns rootTimeIn(const Piece &piece, const NestedSpan &around) const;
    /// The self time by definition; for slices in which slices cross.
    Ns exactSelf(const NestedSpan &slice) const;
    /// True if a slice that is closed and local crosses the long slice, which is the shorter one.
    bool crossesLongerLocal(const NestedSpan &slice) const;
    static Ns rootTimeOf(const Segment &segment);
    /// Makes the segment of a piece again, with more slices.
    void nestAgain(Piece &piece, std::vector<GrowingSlice> added);
    /// The first row from `from` on that is free for the whole time of a long slice.
    uint32_t freeRow(const NestedSpan &slice, uint32_t from) const;
    uint32_t place(TimeSpan span, uint32_t from);
    void makeBucket(Bucket &bucket);
    LongSlice *activeLong(SliceId id) const;
    /// The first of m_active that starts at or after a time.
    std::vector<LongSlice *>::const_iterator firstActiveFrom(Ns start) const;
    bool containsActive(const NestedSpan &slice) const;

    static constexpr Ns kMostHeldBack = 10'000'000'000;
    static constexpr size_t kBucketSlices = 1024;
    const LaneId m_lane;
    const Policy m_policy;
    SliceIds &m_ids;
    GrowthMemory &m_memory;
    MergeThread &m_merger;
    const LanePatience m_patience;
    SliceIds::Block m_localIds, m_longIds;
    bool m_outOfIds = false;
    Ns m_closedUpTo = INT64_MIN;
    std::vector<Piece> m_pieces; ///< in order of time
    /// A merge of some of these.
    struct Merging {
        std::vector<std::shared_ptr<const Segment>> from;
        std::shared_ptr<const MergeThread::Merge<Segment>> merge; ///< null if none is under way
    };
    Merging m_merging;
    std::vector<Bucket> m_pending;
    std::vector<GrowingSlice> m_late;      ///< of stretches that are closed
    Ns m_mark = INT64_MIN, m_holdBack = 0; ///< see settle()
    /// Slices that ended before have left, so that self times can no longer be computed from them.
    Ns m_leftBefore = INT64_MIN;
    LongPages m_longPages;
    std::vector<LongSlice *> m_active; ///< long slices that are not closed, by (start, outer first)
    LongSlices m_longSlices;
    std::vector<Ns> m_rowsBusyUntil;
};

} // namespace riffle
