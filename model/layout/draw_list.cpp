// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/draw_list.h"

#include "model/base/parallel.h"

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

/// Below this many cells (rows × columns), starting threads costs more than it saves.
constexpr size_t kParallelCells = 30'000;
/// The number of rows that the summary of a folded heading reads, over all its lanes.
constexpr size_t kSummaryRows = 32;
constexpr size_t kSummaryDepth = 12; ///< at most this many rows of one lane

void drawBands(const BandTrack &track, uint32_t row, const PixelGrid &grid, std::vector<Box> &out)
{
    const Segment &segment = *track.bands;
    if (row < segment.rows() && segment.span.begin < grid.span().end && segment.span.end >= grid.span().begin)
        appendRowBoxes(segment, row, grid, {}, out);
}

void drawRow(const Trace &trace, const Lane &lane, uint32_t row, const PixelGrid &grid, std::span<const uint32_t> hits,
             std::vector<Box> &out)
{
    std::vector<Box> part;
    for (const uint32_t index : lane.segments) {
        if (index >= trace.segments.size())
            continue;
        const Segment &segment = *trace.segments[index];
        if (row >= segment.rows() || segment.span.begin >= grid.span().end || segment.span.end < grid.span().begin)
            continue;
        if (out.empty()) {
            appendRowBoxes(segment, row, grid, hits, out);
            continue;
        }
        part.clear();
        appendRowBoxes(segment, row, grid, hits, part);
        mergeBoxes(out, part);
    }
}

/// Draws one stripe of a folded heading: its lanes flattened, with callees on top of their callers.
void drawStripe(const Trace &trace, const std::vector<LaneId> &lanes, size_t stripe, size_t stripes,
                const PixelGrid &grid, std::span<const uint32_t> hits, std::vector<Box> &out)
{
    const size_t depth = std::clamp<size_t>(kSummaryRows / lanes.size(), 1, kSummaryDepth);
    std::vector<Box> part;
    for (size_t i = stripe * lanes.size() / stripes; i < (stripe + 1) * lanes.size() / stripes; ++i) {
        if (lanes[i].value >= trace.lanes.size())
            continue;
        const Lane &lane = trace.lanes[lanes[i].value];
        for (uint32_t row = 0; row < std::min<size_t>(depth, lane.rows); ++row) {
            part.clear();
            drawRow(trace, lane, row, grid, hits, part);
            mergeBoxes(out, part);
        }
    }
}

/// Flags the ticks of a lane that contain a failed allocation; these are the marks of the trace's graphs.
void findFailures(const std::vector<TraceGraph> &graphs, const Lane &lane, std::vector<InstantTick> &ticks)
{
    for (const TraceGraph &graph : graphs)
        for (const TraceGraph::Mark &mark : graph.marks) {
            if (mark.instant < lane.instantBegin || mark.instant >= lane.instantEnd)
                continue;
            const auto behind =
                std::upper_bound(ticks.begin(), ticks.end(), mark.instant,
                                 [](uint32_t row, const InstantTick &tick) { return row < tick.instant; });
            if (behind != ticks.begin() && mark.instant - (behind - 1)->instant < (behind - 1)->count)
                (behind - 1)->failed = true;
        }
}

void appendMarks(const std::vector<TraceGraph::Mark> &marks, const PixelGrid &grid, std::vector<int32_t> &out)
{
    for (const TraceGraph::Mark &mark : marks)
        if (grid.span().begin <= mark.time && mark.time < grid.span().end)
            if (const int x = grid.first(mark.time); out.empty() || out.back() != x)
                out.push_back(x);
}

} // namespace

void appendInstants(const Trace &trace, const Lane &lane, const PixelGrid &grid, std::vector<InstantTick> &out)
{
    const auto times = trace.instants.time.span();
    const size_t end = std::min<size_t>(lane.instantEnd, times.size());
    auto at = std::lower_bound(times.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(lane.instantBegin, end)),
                               times.begin() + static_cast<std::ptrdiff_t>(end), grid.span().begin);
    const auto last = times.begin() + static_cast<std::ptrdiff_t>(end);
    while (at != last && *at < grid.span().end) {
        const int x = grid.first(*at);
        const auto behind = std::lower_bound(at, last, grid.next(x));
        out.push_back({x, static_cast<uint32_t>(at - times.begin()), static_cast<uint32_t>(behind - at)});
        at = behind;
    }
}

DrawnItem &DrawList::nextItem(const LaneItem &item)
{
    if (m_used == m_items.size())
        m_items.emplace_back();
    DrawnItem &drawn = m_items[m_used++];
    drawn.item = &item;
    drawn.firstRow = 0;
    drawn.instants.clear();
    drawn.columns.clear();
    drawn.marks.clear();
    return drawn;
}

/// Takes over a row that the last picture also showed. Returns false if it did not.
bool DrawList::keepRow(DrawnItem &drawn, size_t row)
{
    for (DrawnItem &before : std::span(m_before.data(), m_kept)) {
        if (before.item != drawn.item)
            continue;
        const size_t at = drawn.firstRow + row - before.firstRow; // wraps if the row is above the first one
        if (at >= before.rows.size())
            return false;
        drawn.rows[row].swap(before.rows[at]);
        return true;
    }
    return false;
}

void DrawList::build(const Request &request)
{
    m_before.swap(m_items);
    m_kept = request.scrolled ? m_used : 0;
    m_used = 0;
    m_grids.clear();
    for (const LoadedTrace &member : request.set->loaded())
        m_grids[member.id].emplace(request.scale, member.time);

    struct RowTask {
        size_t item;
        size_t row;
    };
    std::vector<RowTask> tasks;
    for (const LaneItem &item : *request.section) {
        if (item.y + item.height <= request.yBegin || item.y >= request.yEnd)
            continue;
        DrawnItem &drawn = nextItem(item);
        if (!m_grids[item.trace]) { // the heading of a member that is not loaded
            drawn.rows.clear();
            continue;
        }
        const Trace &trace = *request.set->trace(item.trace);
        const PixelGrid &grid = *m_grids[item.trace];
        const auto graphs = request.graphs ? std::as_const(*request.graphs)[item.trace] : nullptr;
        size_t rows = 0;
        const bool isLane = item.kind == LaneItem::Kind::Slices && item.lane.value < trace.lanes.size();
        if (isLane || item.kind == LaneItem::Kind::Bands) {
            const int top = item.y + LaneLayout::kPadding;
            const int first = std::max(0, (request.yBegin - top) / std::max(1, item.rowHeight));
            const int behind = (request.yEnd - top + item.rowHeight - 1) / std::max(1, item.rowHeight);
            const int shown = std::clamp(behind, first, static_cast<int>(item.rows));
            drawn.firstRow = static_cast<uint32_t>(std::min(first, shown));
            rows = static_cast<size_t>(std::max(0, shown - first));
            if (isLane)
                appendInstants(trace, trace.lanes[item.lane.value], grid, drawn.instants);
            if (isLane && graphs)
                findFailures(*graphs, trace.lanes[item.lane.value], drawn.instants);
        }
        if (item.heading())
            rows = std::min<size_t>(item.summary.size(), LaneLayout::kSummaryStripes);
        for (auto &row : drawn.rows)
            row.clear();
        drawn.rows.resize(rows);
        for (size_t row = 0; row < rows; ++row)
            if (!keepRow(drawn, row))
                tasks.push_back({m_used - 1, row});
        if (item.kind == LaneItem::Kind::Graph && request.graphs) {
            if (graphs && item.graph < graphs->size()) {
                (*graphs)[item.graph].graph.columns(grid, drawn.columns);
                appendMarks((*graphs)[item.graph].marks, grid, drawn.marks);
            }
            // The values after the end of the trace are unknown.
            const auto behind = std::min(drawn.columns.size(), static_cast<size_t>(grid.first(trace.span.end)) + 1);
            std::fill(drawn.columns.begin() + static_cast<std::ptrdiff_t>(behind), drawn.columns.end(),
                      CounterGraph::Column());
        }
    }

    const auto draw = [&](size_t index) {
        DrawnItem &drawn = m_items[tasks[index].item];
        const Trace &trace = *request.set->trace(drawn.item->trace);
        const PixelGrid &grid = *m_grids[drawn.item->trace];
        std::span<const uint32_t> hits;
        if (request.hits)
            hits = (*request.hits)[drawn.item->trace];
        if (drawn.item->heading()) {
            drawStripe(trace, drawn.item->summary, tasks[index].row, drawn.rows.size(), grid, hits,
                       drawn.rows[tasks[index].row]);
            return;
        }
        if (drawn.item->bands) {
            drawBands(*drawn.item->bands, drawn.firstRow + static_cast<uint32_t>(tasks[index].row), grid,
                      drawn.rows[tasks[index].row]);
            return;
        }
        drawRow(trace, trace.lanes[drawn.item->lane.value], drawn.firstRow + static_cast<uint32_t>(tasks[index].row),
                grid, hits, drawn.rows[tasks[index].row]);
    };
    if (tasks.size() > 1 && tasks.size() * static_cast<size_t>(request.scale.width()) > kParallelCells)
        parallelFor(tasks.size(), draw);
    else
        for (size_t index = 0; index < tasks.size(); ++index)
            draw(index);
}

const DrawnItem *DrawList::find(const LaneItem *item) const
{
    for (const DrawnItem &drawn : items())
        if (drawn.item == item)
            return &drawn;
    return nullptr;
}

} // namespace riffle
