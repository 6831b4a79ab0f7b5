// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// The distance of at most `most` round values in a range: 1, 2 or 5 times a power of ten; of bytes, a power of two.
double roundStep(double range, int most, bool bytes = false);

/// How often values fall into each of a row of bins.
struct Histogram {
    std::vector<double> edges; ///< one more than bins, ascending; a bin holds its lower edge, the last one both
    std::vector<uint64_t> counts;
};

/// Bins of equal width between the smallest and the largest value, or of equal ratio (then values below 1 count as 1).
Histogram histogramOf(std::span<const int64_t> values, size_t bins, bool logarithmic);

} // namespace riffle
