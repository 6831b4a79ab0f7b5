// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/row_boxes.h"

#include "model/base/ids.h"
#include "model/layout/row_cells.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace riffle {

namespace {

/// Collects boxes and joins neighbours that show the same slice. The boxes contain indices of the segment instead of
/// ids, until nameSlices() replaces them.
class BoxRun {
public:
    BoxRun(const Segment &segment, std::vector<Box> &out) : m_segment(segment), m_out(out), m_first(out.size()) {}

    void add(int x0, int x1, uint32_t index, uint32_t count)
    {
        assert(index < m_segment.size() && x0 < x1 && count > 0);
        if (m_out.size() > m_first && m_out.back().slice == index && m_out.back().x1 == x0) {
            m_out.back().x1 = x1;
            m_out.back().count = std::max(m_out.back().count, count);
            return;
        }
        m_out.push_back({x0, x1, index, 0, count});
    }

private:
    const Segment &m_segment;
    std::vector<Box> &m_out;
    size_t m_first;
};

/// Finds the longest slice of every cell. All cells advance together, one step at a time, so that their cache misses
/// overlap.
void pickLongest(const Segment &segment, std::span<const RowCell> cells,
                 std::array<SliceLod::Pick, RowCells::kBatch> &picks)
{
    const std::span<const Ns> durations = segment.slices.duration.span();
    const SliceLod &lod = segment.lod;
    for (const RowCell &cell : cells)
        lod.prefetch(durations, cell.first, cell.behind);
    bool deeper = false;
    for (size_t i = 0; i < cells.size(); ++i) {
        picks[i] = lod.pick(durations, cells[i].first, cells[i].behind);
        deeper |= lod.prefetchBelow(durations, picks[i]);
    }
    while (deeper) {
        deeper = false;
        for (size_t i = 0; i < cells.size(); ++i) {
            lod.descend(durations, picks[i]);
            deeper |= lod.prefetchBelow(durations, picks[i]);
        }
    }
}

/// Fills in the names of the boxes, and the ids in place of indices. This comes last because the slices are known by
/// then, so their names can be prefetched.
void nameSlices(const Segment &segment, std::span<Box> boxes)
{
    constexpr size_t kAhead = 16;
    const uint32_t *name = segment.slices.name.data();
    for (size_t i = 0; i < boxes.size(); ++i) {
        if (i + kAhead < boxes.size())
            __builtin_prefetch(name + boxes[i + kAhead].slice);
        assert(boxes[i].slice < segment.slices.name.size());
        boxes[i].name = name[boxes[i].slice];
        boxes[i].slice = segment.idAt(boxes[i].slice).value;
    }
}

/// The indices of the hits that are slices [begin, last) of a segment, ascending.
std::vector<uint32_t> indicesOf(const Segment &segment, uint32_t begin, uint32_t last, std::span<const uint32_t> hits)
{
    std::vector<uint32_t> indices;
    const auto first = std::ranges::lower_bound(hits, segment.firstSlice);
    const auto behind = std::upper_bound(first, hits.end(), segment.lastSlice().value);
    for (auto hit = first; hit != behind; ++hit)
        if (const uint32_t index = segment.indexOf(SliceId(*hit)); index >= begin && index < last)
            indices.push_back(index);
    std::ranges::sort(indices);
    return indices;
}

} // namespace

void appendRowBoxes(const Segment &segment, uint32_t row, const PixelGrid &grid, std::span<const uint32_t> hits,
                    std::vector<Box> &out)
{
    const bool isInside = segment.span.begin >= grid.span().begin && segment.span.end <= grid.span().end;
    if (isInside && hits.empty() && !segment.rowLongest.empty()) {
        const uint32_t longest = segment.rowLongest[row];
        const auto [from, to] = grid.columns(segment.span.begin, segment.span.end - segment.span.begin);
        if (longest != kNoRow && from == to)
            out.push_back({from, from + 1, segment.idAt(longest).value, segment.slices.name[longest],
                           segment.rowBegin[row + 1] - segment.rowBegin[row]});
        if (longest == kNoRow || from == to)
            return;
    }
    const auto [begin, last] =
        isInside ? std::pair(segment.rowBegin[row], segment.rowBegin[row + 1]) : segment.overlapping(row, grid.span());
    const Ns *start = segment.slices.start.data();
    const std::span<const Ns> durations = segment.slices.duration.span();
    // The hits are ids from `origin` on where these follow each other, otherwise indices.
    std::vector<uint32_t> indices;
    const uint32_t origin = segment.ids.empty() ? segment.firstSlice : 0;
    if (!segment.ids.empty() && !hits.empty()) {
        indices = indicesOf(segment, begin, last, hits);
        hits = indices;
    }
    const auto isHit = [&](uint32_t index) { return std::binary_search(hits.begin(), hits.end(), origin + index); };
    const size_t firstBox = out.size();
    BoxRun run(segment, out);
    uint32_t carried = kNoRow; // a slice that started in an earlier column and ends in carriedColumn
    int carriedColumn = -1;
    RowCells cells(start, begin, last, grid);
    std::array<SliceLod::Pick, RowCells::kBatch> picks;
    for (auto batch = cells.next(); !batch.empty(); batch = cells.next()) {
        pickLongest(segment, batch, picks);
        for (size_t i = 0; i < batch.size(); ++i) {
            const auto [at, behind, x] = batch[i];
            uint32_t count = behind - at;
            uint32_t winner = picks[i].index;
            const bool shared = carried != kNoRow && carriedColumn == x;
            if (shared) {
                ++count;
                if (durations[carried] >= picks[i].duration)
                    winner = carried;
            }
            if (!hits.empty() && count > 1 && !isHit(winner)) {
                const auto hit = std::lower_bound(hits.begin(), hits.end(), origin + at);
                if (hit != hits.end() && *hit < origin + behind)
                    winner = *hit - origin;
                else if (shared && isHit(carried))
                    winner = carried;
            }
            run.add(x, x + 1, winner, count);

            assert(at < behind && behind <= last);
            // Only the last slice can continue beyond this column.
            const uint32_t going = behind - 1;
            carried = kNoRow;
            const int end = durations[going] > 0 ? grid.last(start[going] + durations[going]) : x;
            if (end > x) {
                if (end > x + 1)
                    run.add(x + 1, end, going, 1);
                if (behind < last && start[behind] < grid.next(end)) {
                    carried = going;
                    carriedColumn = end;
                } else {
                    run.add(end, end + 1, going, 1);
                }
            }
        }
    }
    nameSlices(segment, std::span(out).subspan(firstBox));
}

void FlatRow::show(const Piece &piece, int x0, int x1)
{
    if (!m_pieces.empty() && m_pieces.back().box.slice == piece.box.slice && m_pieces.back().box.x1 == x0) {
        m_pieces.back().box.x1 = x1;
        return;
    }
    m_pieces.push_back(piece);
    m_pieces.back().box.x0 = x0;
    m_pieces.back().box.x1 = x1;
}

void FlatRow::add(std::span<const Box> row)
{
    if (row.empty())
        return;
    // Rows mostly follow each other, as those of the segments of a lane do: what is before the row stays as it is.
    const auto reached =
        std::ranges::partition_point(m_pieces, [&](const Piece &piece) { return piece.box.x1 <= row.front().x0; });
    m_before.assign(reached, m_pieces.end());
    m_pieces.erase(reached, m_pieces.end());
    auto lower = m_before.begin();
    auto upper = row.begin();
    int x = INT32_MIN; // everything to the left of it is decided
    while (lower != m_before.end() || upper != row.end()) {
        if (lower != m_before.end() && lower->box.x1 <= x) {
            ++lower;
            continue;
        }
        if (upper != row.end() && upper->x1 <= x) {
            ++upper;
            continue;
        }
        const int lowerBegin = lower == m_before.end() ? INT32_MAX : std::max(x, lower->box.x0);
        const int upperBegin = upper == row.end() ? INT32_MAX : std::max(x, upper->x0);
        const int begin = std::min(lowerBegin, upperBegin);
        // The first of the two shows up to where the other one starts; where both are, up to where one of them ends.
        if (lowerBegin < upperBegin) {
            x = std::min(lower->box.x1, upperBegin);
            show(*lower, begin, x);
        } else if (upperBegin < lowerBegin) {
            x = std::min(upper->x1, lowerBegin);
            show({*upper, upper->x1 - upper->x0}, begin, x);
        } else {
            x = std::min(lower->box.x1, upper->x1);
            const Piece other{*upper, upper->x1 - upper->x0};
            show(lower->width < other.width ? *lower : other, begin, x);
        }
    }
}

void FlatRow::appendTo(std::vector<Box> &out) const
{
    for (const Piece &piece : m_pieces)
        out.push_back(piece.box);
}

const Box *boxAt(std::span<const Box> boxes, int x, int reach)
{
    const auto after =
        std::upper_bound(boxes.begin(), boxes.end(), x, [](int value, const Box &box) { return value < box.x0; });
    const Box *nearest = nullptr;
    int distance = reach + 1;
    if (after != boxes.begin()) {
        const Box &box = *(after - 1);
        if (x < box.x1)
            return &box;
        if (x - box.x1 + 1 < distance) {
            nearest = &box;
            distance = x - box.x1 + 1;
        }
    }
    if (after != boxes.end() && after->x0 - x < distance)
        nearest = &*after;
    return nearest;
}

} // namespace riffle
