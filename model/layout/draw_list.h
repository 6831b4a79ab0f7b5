// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/layout/counter_graph.h"
#include "model/layout/lane_layout.h"
#include "model/layout/row_boxes.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace riffle {

/// A pixel column with events that have no duration.
struct InstantTick {
    int32_t x = 0;
    uint32_t instant = 0; ///< InstantId of the first of them
    uint32_t count = 1;
    bool failed = false; ///< one of them is a failed allocation
};

/// The visible parts of one strip, to be painted. All x are device pixel columns.
struct DrawnItem {
    const LaneItem *item = nullptr;
    uint32_t firstRow = 0;                     ///< drawing row of rows.front()
    std::vector<std::vector<Box>> rows;        ///< for Slices; for a folded heading, its stripes
    std::vector<InstantTick> instants;         ///< for Slices
    std::vector<CounterGraph::Column> columns; ///< for Graph
    std::vector<int32_t> marks; ///< for Graph: the columns of its visible marks, ascending, without repetition
};

/// Everything that one section of the timeline shows in a range of time. It is rebuilt in the same memory for each
/// picture.
class DrawList {
public:
    struct Request {
        const TraceSet *set = nullptr;
        const SetGraphs *graphs = nullptr;
        const std::vector<LaneItem> *section = nullptr; ///< must outlive the list
        TimeScale scale;
        int yBegin = 0; ///< the visible part of the section, in logical pixels
        int yEnd = 0;
        /// Per trace, ascending SliceIds to emphasise; may be null.
        const PerTrace<BigVector<uint32_t>> *hits = nullptr;
        /// Per trace, their ascending numbers in its squeezed lanes (numbersOf()); may be null.
        const PerTrace<BigVector<uint32_t>> *squeezedHits = nullptr;
        /// True if only yBegin and yEnd differ from the last request: the rows that were visible then are kept.
        bool scrolled = false;
    };

    void build(const Request &request);
    struct Part {
        DrawList *list;
        Request request;
    };
    /// Builds the lists of several parts of a view at once, so that no worker waits for the slowest row of one part.
    static void buildTogether(std::span<const Part> parts);
    std::span<const DrawnItem> items() const { return {m_items.data(), m_used}; }
    /// Returns the drawn item of a strip; null if it is not visible.
    const DrawnItem *find(const LaneItem *item) const;

private:
    /// A row of boxes that is to be found, possibly by another thread.
    struct RowTask {
        size_t item; ///< index into m_items
        size_t row;  ///< index into its rows
        const Trace *trace;
    };
    void collect(const Request &request);
    void addItem(const Request &request, const LaneItem &item, const LoadedTrace &member);
    DrawnItem &nextItem(const LaneItem &item);
    bool keepRow(DrawnItem &drawn, size_t row, DrawnItem *before);
    const PixelGrid &gridOf(const Request &request, const LoadedTrace &member);
    void drawTask(const Request &request, const RowTask &task);

    std::vector<DrawnItem> m_items;
    size_t m_used = 0;
    std::vector<DrawnItem> m_before; ///< the items of the last picture, whose memory the next one uses
    size_t m_kept = 0;               ///< number of items in m_before from which rows can be kept
    std::vector<RowTask> m_tasks;
    std::optional<PixelGrid> m_setGrid;         ///< the columns in set time
    PerTrace<std::optional<PixelGrid>> m_grids; ///< of the traces that are seen
};

/// Appends the pixel columns of a lane that contain instants.
void appendInstants(const Trace &trace, const Lane &lane, const PixelGrid &grid, std::vector<InstantTick> &out);

} // namespace riffle
