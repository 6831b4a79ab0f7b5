// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace riffle {

/// sum / count to the nearest integer, halves to the even one; count > 0.
int64_t roundedQuotient(int64_t sum, int64_t count);

/// The middle value, or the mean of the two middle ones, rounded like roundedQuotient(). Not empty, ascending.
int64_t medianOfSorted(std::span<const int64_t> values);
/// The same of values in any order, which it rearranges.
int64_t medianOf(std::span<int64_t> values);

} // namespace riffle
