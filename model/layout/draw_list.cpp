// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/draw_list.h"

#include "model/base/parallel.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace riffle {

namespace {

/// Below this many cells (rows × columns), starting threads costs more than it saves.
constexpr size_t kParallelCells = 30'000;
/// Looking for what a segment shows in a row costs about as much as so many cells.
constexpr size_t kSegmentCells = 8;
/// The most rows that a stripe of a folded heading reads. A rank with many lanes would otherwise cost many times as
/// much as one that is unfolded and fills the window.
constexpr size_t kStripeRows = 8;

void drawBands(const BandTrack &track, uint32_t row, const PixelGrid &grid, std::vector<Box> &out)
{
    const Segment &segment = *track.bands;
    if (row < segment.rows() && segment.span.begin < grid.span().end && segment.span.end >= grid.span().begin)
        appendRowBoxes(segment, row, grid, {}, out);
}

/// Draws a row of segments that follow one another and may overlap. `segmentOf` returns the segment of an element, or
/// null if there is none. (A view that filters and transforms makes this loop slower than the drawing itself.)
template <typename Elements, typename SegmentOf>
void drawSegments(const Elements &elements, const SegmentOf &segmentOf, uint32_t row, const PixelGrid &grid,
                  std::span<const uint32_t> hits, std::vector<Box> &out)
{
    const auto isSeen = [&](const auto &element) {
        const Segment *segment = segmentOf(element);
        return segment && row < segment->rows() && segment->span.begin < grid.span().end &&
               segment->span.end >= grid.span().begin;
    };
    const auto first = std::ranges::find_if(elements, isSeen);
    if (first == elements.end())
        return;
    appendRowBoxes(*segmentOf(*first), row, grid, hits, out);
    if (std::find_if(first + 1, elements.end(), isSeen) == elements.end())
        return;
    FlatRow flat;
    for (auto element = first; element != elements.end(); ++element) {
        if (element != first) {
            out.clear();
            if (isSeen(*element))
                appendRowBoxes(*segmentOf(*element), row, grid, hits, out);
        }
        flat.add(out);
    }
    out.clear();
    flat.appendTo(out);
}

void drawRow(const Trace &trace, const Lane &lane, uint32_t row, const PixelGrid &grid, std::span<const uint32_t> hits,
             std::vector<Box> &out)
{
    const auto segmentOf = [&trace](uint32_t index) {
        return index < trace.segments.size() ? trace.segments[index].get() : nullptr;
    };
    drawSegments(lane.segments, segmentOf, row, grid, hits, out);
}

/// Draws a row of a squeezed lane. `hits` are numbers in the squeezed lanes of the trace.
void drawSqueezedRow(const SqueezedLane &lane, uint32_t row, const PixelGrid &grid, std::span<const uint32_t> hits,
                     std::vector<Box> &out)
{
    drawSegments(
        lane.segments, [](const Segment &segment) { return &segment; }, row, grid, hits, out);
    for (Box &box : out)
        box.slice = lane.sliceOf(box.slice).value;
}

/// The number of slices of a lane's row that are in view.
size_t slicesInView(const Trace &trace, const Lane &lane, uint32_t row, const PixelGrid &grid)
{
    size_t count = 0;
    for (const uint32_t index : lane.segments)
        if (index < trace.segments.size() && row < trace.segments[index]->rows()) {
            const auto [begin, last] = trace.segments[index]->overlapping(row, grid.span());
            count += last - begin;
        }
    return count;
}

/// Draws one stripe of a folded heading: its lanes flattened, in order of importance. Once every fourth column has a
/// box, there is little room left, and only rows with few slices are added: they cost little, and what they show is
/// long.
void drawStripe(const Trace &trace, const std::vector<LaneId> &lanes, const PixelGrid &grid,
                std::span<const uint32_t> hits, std::vector<Box> &out)
{
    // The first row of a lane is often that of annotations, so the next one is read, too.
    const size_t depth = std::max<size_t>(2, kStripeRows / lanes.size());
    const auto columns = static_cast<size_t>(grid.width());
    FlatRow flat;
    std::vector<Box> boxes;
    size_t rows = 0, filled = 0;
    for (const LaneId id : lanes) {
        const Lane &lane = trace.lanes[id.value];
        const size_t behind = std::min({rows + depth, rows + lane.rows, kStripeRows});
        for (uint32_t row = 0; rows < behind; ++row, ++rows) {
            if (filled > columns / 4 && slicesInView(trace, lane, row, grid) > columns / 8)
                continue;
            boxes.clear();
            drawRow(trace, lane, row, grid, hits, boxes);
            filled += boxes.size();
            flat.add(boxes);
        }
    }
    flat.appendTo(out);
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

namespace {

/// Finds the drawn item of a strip; null if there is none. The items have the order of their section, and so do the
/// addresses of their strips.
template <typename Items>
auto *itemOf(Items items, const LaneItem *item)
{
    const auto found = std::ranges::lower_bound(items, item, std::less<>(), &DrawnItem::item);
    return found != items.end() && found->item == item ? &*found : nullptr;
}

} // namespace

/// Takes over a row that the last picture also showed. Returns false if it did not.
bool DrawList::keepRow(DrawnItem &drawn, size_t row, DrawnItem *before)
{
    if (!before)
        return false;
    const size_t at = drawn.firstRow + row - before->firstRow; // wraps if the row is above the first one
    if (at >= before->rows.size())
        return false;
    drawn.rows[row].swap(before->rows[at]);
    return true;
}

const PixelGrid &DrawList::gridOf(const Request &request, const LoadedTrace &member)
{
    std::optional<PixelGrid> &grid = m_grids[member.id];
    if (!grid) {
        if (!m_setGrid)
            m_setGrid.emplace(request.scale);
        grid.emplace(*m_setGrid, member.time);
    }
    return *grid;
}

void DrawList::addItem(const Request &request, const LaneItem &item, const LoadedTrace &member)
{
    DrawnItem &drawn = nextItem(item);
    const Trace &trace = *member.trace;
    const PixelGrid &grid = gridOf(request, member);
    const auto graphs = request.graphs ? std::as_const(*request.graphs)[item.trace] : nullptr;
    size_t rows = item.stripes.size();
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
    for (auto &row : drawn.rows)
        row.clear();
    drawn.rows.resize(rows);
    DrawnItem *before = itemOf(std::span(m_before.data(), m_kept), &item);
    for (size_t row = 0; row < rows; ++row)
        if (!keepRow(drawn, row, before))
            m_tasks.push_back({m_used - 1, row, &trace});
    if (item.kind == LaneItem::Kind::Graph && request.graphs) {
        Ns end = trace.span.end;
        if (graphs && item.graph < graphs->size()) {
            end = std::min(end, (*graphs)[item.graph].end); // the trace may have grown since
            (*graphs)[item.graph].graph.columns(grid, drawn.columns);
            appendMarks((*graphs)[item.graph].marks, grid, drawn.marks);
        }
        // The values after the end are unknown.
        const auto behind = std::min(drawn.columns.size(), static_cast<size_t>(grid.first(end)) + 1);
        std::fill(drawn.columns.begin() + static_cast<std::ptrdiff_t>(behind), drawn.columns.end(),
                  CounterGraph::Column());
    }
}

void DrawList::drawTask(const Request &request, const RowTask &task)
{
    DrawnItem &drawn = m_items[task.item];
    const LaneItem &item = *drawn.item;
    std::vector<Box> &out = drawn.rows[task.row];
    const uint32_t row = drawn.firstRow + static_cast<uint32_t>(task.row);
    const PixelGrid &grid = *std::as_const(m_grids)[item.trace];
    std::span<const uint32_t> hits;
    if (const auto *all = item.squeezed ? request.squeezedHits : request.hits)
        hits = (*all)[item.trace];
    if (item.heading())
        drawStripe(*task.trace, item.stripes[task.row], grid, hits, out);
    else if (item.bands)
        drawBands(*item.bands, row, grid, out);
    else if (item.squeezed)
        drawSqueezedRow(*item.squeezed, row, grid, hits, out);
    else
        drawRow(*task.trace, task.trace->lanes[item.lane.value], row, grid, hits, out);
}

void DrawList::build(const Request &request)
{
    const Part part{this, request};
    buildTogether(std::span(&part, 1));
}

void DrawList::buildTogether(std::span<const Part> parts)
{
    size_t count = 0, cells = 0;
    for (const Part &part : parts) {
        part.list->collect(part.request);
        count += part.list->m_tasks.size();
        cells += part.list->m_tasks.size() * static_cast<size_t>(part.request.scale.width());
        for (const RowTask &task : part.list->m_tasks)
            if (const LaneItem &item = *part.list->m_items[task.item].item; item.kind == LaneItem::Kind::Slices)
                cells += kSegmentCells * task.trace->lanes[item.lane.value].segments.size();
    }
    const auto draw = [&](size_t index) {
        const Part *part = parts.data();
        for (; index >= part->list->m_tasks.size(); ++part)
            index -= part->list->m_tasks.size();
        part->list->drawTask(part->request, part->list->m_tasks[index]);
    };
    if (count > 1 && cells > kParallelCells)
        parallelFor(count, draw);
    else
        for (size_t index = 0; index < count; ++index)
            draw(index);
}

/// Lists what is seen, and the rows that are still to be drawn.
void DrawList::collect(const Request &request)
{
    m_before.swap(m_items);
    m_kept = request.scrolled ? m_used : 0;
    m_used = 0;
    if (!request.scrolled) {
        m_setGrid.reset();
        m_grids.clear();
    }
    m_tasks.clear();
    for (const LaneItem &item : LaneLayout::between(*request.section, request.yBegin, request.yEnd))
        if (const LoadedTrace *member = request.set->find(item.trace))
            addItem(request, item, *member);
        else // the heading of a member that is not loaded
            nextItem(item).rows.clear();
}

const DrawnItem *DrawList::find(const LaneItem *item) const { return itemOf(items(), item); }

} // namespace riffle
