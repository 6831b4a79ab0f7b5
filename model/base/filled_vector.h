// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/parallel.h"

#include <algorithm>
#include <cstddef>

namespace riffle {

/// Returns a vector with `count` times the same plain value. Threads share the work, which mostly consists of the first
/// access to fresh memory. Throws Stopped if the StopScope is stopped.
template <typename T>
BigVector<T> filledVector(size_t count, T value)
{
    constexpr size_t kRange = 1 << 19;
    BigVector<T> filled(count);
    parallelRanges(count, kRange,
                   [&](size_t first, size_t last) { std::fill(filled.data() + first, filled.data() + last, value); });
    return filled;
}

} // namespace riffle
