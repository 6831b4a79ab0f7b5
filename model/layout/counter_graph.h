// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/ids.h"
#include "model/base/task.h"
#include "model/layout/pixel_grid.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// One series of samples as a step graph: a value holds until the next sample. Keeps minimum and maximum of every block
/// of samples, so a picture costs its pixels, not its samples.
class CounterGraph {
public:
    struct Column {
        double low = 0;
        double high = 0;
        bool any = false; ///< false before the first sample
    };

    CounterGraph() = default;
    /// The samples must outlive the graph; ascending times.
    CounterGraph(std::span<const Ns> times, std::span<const double> values);
    /// Takes the samples over.
    CounterGraph(std::vector<Ns> times, std::vector<double> values);

    bool empty() const { return m_times.empty(); }
    double low() const { return m_low; }
    double high() const { return m_high; }
    /// Lowest and highest value of every pixel column.
    void columns(const PixelGrid &grid, std::vector<Column> &out) const;
    /// The value that holds at a time; NaN before the first sample.
    double valueAt(Ns time) const;

private:
    static constexpr size_t kBlock = 64;
    void index();
    Column range(size_t first, size_t last) const;

    std::shared_ptr<const void> m_owner;
    std::span<const Ns> m_times;
    std::span<const double> m_values;
    std::vector<Column> m_blocks;
    std::vector<Column> m_superBlocks; ///< of kBlock blocks
    double m_low = 0;
    double m_high = 0;
};

/// A graph that a trace offers: one series of a counter lane, or memory totals that the profiler's allocations tell.
struct TraceGraph {
    enum class Unit : uint8_t { Number, Bytes };
    LaneId lane;         ///< the counter's lane; none for a derived one
    int32_t device = -1; ///< GPU of a derived one; -1: the host
    std::string title;
    Unit unit = Unit::Number;
    CounterGraph graph;

    /// Something that happened to what is counted: an allocation that failed.
    struct Mark {
        Ns time = 0;
        uint32_t instant = 0; ///< InstantId of the event that says so
        std::string text;
    };
    std::vector<Mark> marks; ///< in order of time
};

/// All graphs of a trace: counters first in the order of their lanes, then derived ones by device.
std::vector<TraceGraph> graphsOf(const Trace &trace, Task task = {});

} // namespace riffle
