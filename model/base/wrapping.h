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

} // namespace riffle
