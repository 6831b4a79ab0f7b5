// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// Returns the distance of at most `most` round values in a range: 1, 2 or 5 times a power of ten; a power of two for
/// bytes.
double roundStep(double range, int most, bool bytes = false);

/// The number of values in each of several adjacent bins.
struct Histogram {
    /// One more than bins, ascending; a bin includes its lower edge, the last one both edges.
    std::vector<double> edges;
    std::vector<uint64_t> counts;
};

/// Returns a histogram with bins of equal width between the smallest and the largest value, or of equal ratio if
/// `logarithmic` (values below 1 then count as 1).
Histogram histogramOf(std::span<const int64_t> values, size_t bins, bool logarithmic);

} // namespace riffle
