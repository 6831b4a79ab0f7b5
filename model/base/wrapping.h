// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace riffle {

/// Adds `value` to `sum` modulo 2^64, so that a damaged file causes a wrong sum instead of undefined behaviour.
inline void addWrapping(int64_t &sum, int64_t value)
{
    sum = static_cast<int64_t>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(value));
}

/// `from` − `value` modulo 2^64: the exact inverse of addWrapping().
inline int64_t wrappingDifference(int64_t from, int64_t value)
{
    return static_cast<int64_t>(static_cast<uint64_t>(from) - static_cast<uint64_t>(value));
}

} // namespace riffle
