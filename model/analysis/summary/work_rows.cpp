// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/work_rows.h"

#include "model/base/rounding.h"

#include <algorithm>
#include <numeric>

namespace riffle {

namespace {

/// A mean weighted by time, over the work that has a value.
struct WeightedMean {
    double sum = 0;
    Ns time = 0;
    void add(double value, Ns weight)
    {
        sum += value * static_cast<double>(weight);
        time += weight;
    }
    double mean() const
    {
        return time > 0 ? sum / static_cast<double>(time) : std::numeric_limits<double>::quiet_NaN();
    }
};

} // namespace

void measureRows(const Scope &scope, WorkRows &made)
{
    const DeviceWork &work = scope.facts().work();
    const DeviceTable &device = scope.facts().trace().device;
    std::vector<BigVector<Ns>> times(made.rows.size());
    std::vector<WeightedMean> blocks(made.rows.size()), occupancy(made.rows.size());
    for (uint32_t at = 0; at < work.size(); ++at) {
        const uint32_t index = made.rowOfWork[at];
        if (index == UINT32_MAX)
            continue;
        WorkRows::Row &row = made.rows[index];
        const Ns time = scope.deviceTime(at);
        row.calls += scope.begins(at);
        row.total += time;
        if (times[index].empty() || time > row.maximum) {
            row.maximum = time;
            row.longest = at;
        }
        times[index].push_back(time);
        const uint32_t detail = work.row[at];
        if (device.bytes[detail] != kNoInt) {
            row.bytes = (row.bytes == kNoInt ? 0 : row.bytes) + device.bytes[detail];
            row.withBytes += time;
        }
        if (device.blocksPerSm[detail] >= 0)
            blocks[index].add(static_cast<double>(device.blocksPerSm[detail]), time);
        if (device.occupancy[detail] >= 0)
            occupancy[index].add(static_cast<double>(device.occupancy[detail]) / 100, time);
        else
            ++row.withoutOccupancy;
    }
    for (size_t index = 0; index < made.rows.size(); ++index) {
        WorkRows::Row &row = made.rows[index];
        row.minimum = *std::min_element(times[index].begin(), times[index].end());
        row.median = medianOf(times[index]);
        row.mean = roundedQuotient(row.total, static_cast<int64_t>(times[index].size()));
        row.blocksPerSm = blocks[index].mean();
        row.occupancy = occupancy[index].mean();
        made.total += row.total;
    }
    std::vector<uint32_t> order(made.rows.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return made.rows[a].total > made.rows[b].total; });
    std::vector<WorkRows::Row> ordered;
    std::vector<uint32_t> place(order.size());
    for (const uint32_t row : order) {
        place[row] = static_cast<uint32_t>(ordered.size());
        ordered.push_back(made.rows[row]);
    }
    made.rows = std::move(ordered);
    for (uint32_t &row : made.rowOfWork)
        row = row == UINT32_MAX ? row : place[row];
}

} // namespace riffle
