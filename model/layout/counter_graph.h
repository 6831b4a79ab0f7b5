// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/ids.h"
#include "model/base/task.h"
#include "model/layout/pixel_grid.h"
#include "model/trace/column.h"

#include <string>
#include <vector>

namespace riffle {

/// One series of samples as a step graph: a value holds until the next sample. Keeps the minimum and maximum of every
/// block of samples, so the cost of a picture depends on its pixels, not on the samples.
class CounterGraph {
public:
    struct Column {
        double low = 0;
        double high = 0;
        bool any = false; ///< false before the first sample
    };

    CounterGraph() = default;
    /// `times` must be ascending. The graph shares the memory of the samples.
    CounterGraph(riffle::Column<Ns> times, riffle::Column<double> values);
    /// Takes ownership of the samples.
    CounterGraph(BigVector<Ns> times, BigVector<double> values);

    bool empty() const { return m_times.empty(); }
    double low() const { return m_low; }
    double high() const { return m_high; }
    /// Computes the lowest and highest value of every pixel column.
    void columns(const PixelGrid &grid, std::vector<Column> &out) const;
    /// Returns the value at a time; NaN before the first sample.
    double valueAt(Ns time) const;

private:
    static constexpr size_t kBlock = 64;
    void index();
    Column range(size_t first, size_t last) const;

    riffle::Column<Ns> m_times;
    riffle::Column<double> m_values;
    std::vector<Column> m_blocks;
    std::vector<Column> m_superBlocks; ///< per kBlock blocks
    double m_low = 0;
    double m_high = 0;
};

/// A graph of a trace: one series of a counter lane, or memory totals derived from the recorded allocations.
struct TraceGraph {
    enum class Unit : uint8_t { Number, Bytes };
    LaneId lane;         ///< the counter's lane; none for a derived graph
    int32_t device = -1; ///< GPU of a derived graph; -1 for the host
    std::string title;
    Unit unit = Unit::Number;
    CounterGraph graph;
    Ns end = kLatestTime; ///< values after this are unknown

    /// An event that is marked on the graph: a failed allocation.
    struct Mark {
        Ns time = 0;
        uint32_t instant = 0; ///< InstantId of the event
        std::string text;
    };
    std::vector<Mark> marks; ///< in order of time
};

/// Returns all graphs of a trace: counters first, in the order of their lanes, then derived graphs by device.
std::vector<TraceGraph> graphsOf(const Trace &trace, Task task = {});

} // namespace riffle
