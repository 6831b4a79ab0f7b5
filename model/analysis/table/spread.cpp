// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/spread.h"

#include "model/base/rounding.h"
#include "model/trace/tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace riffle {

namespace {

bool isRecorded(int64_t value) { return value != kNoInt; }
bool isRecorded(double value) { return !std::isnan(value); }

int64_t medianOfAll(std::vector<int64_t> &values) { return medianOf(values); }
double medianOfAll(std::vector<double> &values)
{
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return values.size() % 2 ? *middle : std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

/// Files can contain any numbers; a difference that does not fit is the largest number.
int64_t difference(int64_t larger, int64_t smaller)
{
    int64_t result = 0;
    return __builtin_sub_overflow(larger, smaller, &result) ? std::numeric_limits<int64_t>::max() : result;
}
double difference(double larger, double smaller) { return larger - smaller; }

template <typename T>
std::optional<Spread<T>> spreadOfAll(std::span<const T> values)
{
    Spread<T> spread;
    std::vector<T> recorded;
    for (size_t at = 0; at < values.size(); ++at) {
        if (!isRecorded(values[at]))
            continue;
        if (recorded.empty() || values[at] > spread.largest) {
            spread.largest = values[at];
            spread.worst = at;
        }
        spread.least = recorded.empty() ? values[at] : std::min(spread.least, values[at]);
        recorded.push_back(values[at]);
    }
    if (recorded.empty())
        return std::nullopt;
    spread.median = medianOfAll(recorded);
    spread.width = difference(spread.largest, spread.least);
    return spread;
}

} // namespace

std::optional<Spread<int64_t>> spreadOf(std::span<const int64_t> values) { return spreadOfAll(values); }
std::optional<Spread<double>> spreadOf(std::span<const double> values) { return spreadOfAll(values); }

} // namespace riffle
