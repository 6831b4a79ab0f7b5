// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/counter_graph.h"
#include "model/layout/lane_layout.h"
#include "model/layout/row_boxes.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// A pixel column with events that have no duration.
struct InstantTick {
    int32_t x = 0;
    uint32_t instant = 0; ///< InstantId of the first of them
    uint32_t count = 1;
    bool failed = false; ///< one of them is an allocation that failed
};

/// What is to be painted of one strip: only what lies in the visible range and heights. All x are device pixel columns.
struct DrawnItem {
    const LaneItem *item = nullptr;
    uint32_t firstRow = 0;                     ///< drawing row of rows.front()
    std::vector<std::vector<Box>> rows;        ///< Slices; of a folded heading its stripes
    std::vector<InstantTick> instants;         ///< Slices
    std::vector<CounterGraph::Column> columns; ///< Graph
    std::vector<int32_t> marks;                ///< Graph: columns of its marks in sight, ascending, each once
};

/// Everything that one section of the timeline shows in a range. Rebuilt for each picture into the same memory.
class DrawList {
public:
    struct Request {
        const TraceSet *set = nullptr;
        const SetGraphs *graphs = nullptr;
        const std::vector<LaneItem> *section = nullptr; ///< must outlive the list
        TimeScale scale;
        int yBegin = 0; ///< visible heights of the section, logical pixels
        int yEnd = 0;
        const std::vector<std::vector<uint32_t>> *hits =
            nullptr; ///< per trace: ascending SliceIds to emphasise; may be null
    };

    void build(const Request &request);
    std::span<const DrawnItem> items() const { return {m_items.data(), m_used}; }
    /// The drawn item for a strip; null when it is not in sight.
    const DrawnItem *find(const LaneItem *item) const;

private:
    DrawnItem &nextItem(const LaneItem &item);

    std::vector<DrawnItem> m_items;
    size_t m_used = 0;
    std::vector<PixelGrid> m_grids;
};

/// Columns of a lane that hold instants.
void appendInstants(const Trace &trace, const Lane &lane, const PixelGrid &grid, std::vector<InstantTick> &out);

} // namespace riffle
