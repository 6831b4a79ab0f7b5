// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/chart_scale.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace riffle {

double roundStep(double range, int most, bool bytes)
{
    const double least = range / std::max(1, most);
    if (!(least > 0) || !std::isfinite(least))
        return 1;
    if (bytes)
        return std::exp2(std::ceil(std::log2(least) - 1e-9));
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least * (1 - 1e-9))
            return factor * power;
    return 10 * power;
}

Histogram histogramOf(std::span<const int64_t> values, size_t bins, bool logarithmic)
{
    Histogram histogram;
    if (values.empty() || bins == 0)
        return histogram;
    const auto place = [logarithmic](int64_t value) {
        return logarithmic ? std::log(static_cast<double>(std::max<int64_t>(1, value))) : static_cast<double>(value);
    };
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double low = place(*least), high = place(*most);
    if (!(high > low))
        bins = 1;
    const double wide = (high - low) / static_cast<double>(bins);
    assert(bins > 0 && low <= high);
    histogram.counts.assign(bins, 0);
    for (const int64_t value : values) {
        const double at = wide > 0 ? (place(value) - low) / wide : 0;
        ++histogram.counts[std::min(bins - 1, static_cast<size_t>(std::max(0.0, at)))];
    }
    for (size_t edge = 0; edge <= bins; ++edge) {
        const double at = low + wide * static_cast<double>(edge);
        histogram.edges.push_back(logarithmic ? std::exp(at) : at);
    }
    return histogram;
}

} // namespace riffle
