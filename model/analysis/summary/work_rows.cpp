// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/work_rows.h"

#include "model/base/decimal.h"
#include "model/base/rounding.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <numeric>

namespace riffle {

namespace {

/// A mean weighted by time, over the work that has a value.
struct WeightedMean {
    double sum = 0, least = 0, most = 0;
    Ns time = 0;
    float stored = std::numeric_limits<float>::quiet_NaN(); ///< the value of the last call; mostly that of the next
    double written = 0;
    void add(float value, Ns weight)
    {
        if (value != stored)
            written = asWritten(value);
        stored = value;
        least = time > 0 ? std::min(least, written) : written;
        most = time > 0 ? std::max(most, written) : written;
        sum += written * static_cast<double>(weight);
        time += weight;
    }
    /// Rounding must not move the mean of equal values away from them.
    double mean() const
    {
        return time > 0 ? std::clamp(sum / static_cast<double>(time), least, most)
                        : std::numeric_limits<double>::quiet_NaN();
    }
};

} // namespace

void measureRows(const Scope &scope, WorkRows &made)
{
    const DeviceWork &work = scope.facts().work();
    std::vector<BigVector<Ns>> times(made.rows.size());
    std::vector<WeightedMean> blocks(made.rows.size()), occupancy(made.rows.size());
    for (uint32_t at = 0; at < work.size(); ++at) {
        throwIfStoppedAt(at);
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
        const DetailRow<DeviceTable> &detail = work.detail[at];
        if (const int64_t bytes = detail[&DeviceTable::bytes]; bytes != kNoInt) {
            row.bytes = (row.bytes == kNoInt ? 0 : row.bytes) + bytes;
            row.withBytes += time;
        }
        if (const float perSm = detail[&DeviceTable::blocksPerSm]; perSm >= 0)
            blocks[index].add(perSm, time);
        if (const float achieved = detail[&DeviceTable::occupancy]; achieved >= 0)
            occupancy[index].add(achieved, time);
        else
            ++row.withoutOccupancy;
    }
    for (size_t index = 0; index < made.rows.size(); ++index) {
        WorkRows::Row &row = made.rows[index];
        row.minimum = *std::min_element(times[index].begin(), times[index].end());
        row.median = medianOf(times[index]);
        row.mean = roundedQuotient(row.total, static_cast<int64_t>(times[index].size()));
        row.blocksPerSm = blocks[index].mean();
        row.occupancy = occupancy[index].mean() / 100;
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
