// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace riffle {

/// Returns sum / count rounded to the nearest integer, halves to even; count > 0.
int64_t roundedQuotient(int64_t sum, int64_t count);

/// Returns the middle value, or the mean of the two middle ones rounded like roundedQuotient(). `values` must be
/// ascending and not empty.
int64_t medianOfSorted(std::span<const int64_t> values);
/// Like medianOfSorted(), for values in any order, which it rearranges.
int64_t medianOf(std::span<int64_t> values);

} // namespace riffle
