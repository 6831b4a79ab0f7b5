// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/drift.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace riffle {

namespace {

constexpr size_t kFewest = 20;       ///< points that can show a drift
constexpr size_t kMost = 400;        ///< points that are compared with one another
constexpr double kDeviations = 3.29; ///< of the normal distribution: 99.9 % of it is within them

} // namespace

Drift driftOf(const std::vector<DriftPoint> &points, Ns resolution)
{
    if (points.size() < kFewest)
        return {};
    std::vector<DriftPoint> some;
    for (size_t at = 0; at < std::min(points.size(), kMost); ++at)
        some.push_back(points[at * points.size() / std::min(points.size(), kMost)]);
    std::ranges::sort(some, {}, &DriftPoint::at);
    std::vector<double> slopes;
    for (size_t a = 0; a < some.size(); ++a)
        for (size_t b = a + 1; b < some.size(); ++b)
            if (some[b].at > some[a].at)
                slopes.push_back(static_cast<double>(some[b].ahead - some[a].ahead) /
                                 static_cast<double>(some[b].at - some[a].at));
    if (slopes.empty())
        return {};
    std::ranges::sort(slopes);
    // Sen (1968): the interval is between two of the sorted slopes, by the variance of Kendall's statistic.
    const auto n = static_cast<double>(some.size()), all = static_cast<double>(slopes.size());
    const double within = kDeviations * std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
    const auto slopeAt = [&](double place) {
        return slopes[static_cast<size_t>(std::clamp(std::floor(place), 0.0, all - 1))];
    };
    const double low = slopeAt((all - within) / 2), high = slopeAt((all + within) / 2), middle = slopeAt(all / 2);
    const double length = static_cast<double>(some.back().at - some.front().at);
    const bool isProved = (low > 0 || high < 0) && std::abs(middle) * length > static_cast<double>(resolution);
    return isProved ? Drift{middle, std::max(high - middle, middle - low)} : Drift{};
}

} // namespace riffle
