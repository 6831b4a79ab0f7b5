// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// Returns the distance between the round values of an axis, chosen so that at most `most` of them fit into a range: 1,
/// 2 or 5 times a power of ten, or a power of two for bytes.
double roundStep(double range, int most, bool bytes = false);

/// The number of values in each of several adjacent bins.
struct Histogram {
    /// The edges of the bins, ascending, one more than there are bins. A bin includes its lower edge, the last one both
    /// edges.
    std::vector<double> edges;
    std::vector<uint64_t> counts;
};

/// Returns a histogram with bins of equal width between the smallest and the largest value, or of equal ratio if
/// `logarithmic` (values below 1 then count as 1).
Histogram histogramOf(std::span<const int64_t> values, size_t bins, bool logarithmic);

} // namespace riffle
