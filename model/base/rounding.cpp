// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/rounding.h"

#include <algorithm>
#include <cassert>

namespace riffle {

int64_t roundedQuotient(int64_t sum, int64_t count)
{
    assert(count > 0);
    int64_t quotient = sum / count;
    int64_t rest = sum % count;
    if (rest < 0) { // round down, so that halves are treated the same on both sides of zero
        rest += count;
        --quotient;
    }
    const bool isOver = rest > count - rest;
    const bool isHalf = rest == count - rest;
    return quotient + (isOver || (isHalf && quotient % 2 != 0));
}

namespace {

int64_t meanOfTwo(int64_t low, int64_t high)
{
    assert(low <= high);
    const auto apart = static_cast<uint64_t>(high) - static_cast<uint64_t>(low); // low + high might overflow
    const int64_t below = low + static_cast<int64_t>(apart / 2);
    return apart % 2 && below % 2 != 0 ? below + 1 : below;
}

} // namespace

int64_t medianOfSorted(std::span<const int64_t> values)
{
    assert(!values.empty() && std::is_sorted(values.begin(), values.end()));
    const size_t middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : meanOfTwo(values[middle - 1], values[middle]);
}

int64_t medianOf(std::span<int64_t> values)
{
    assert(!values.empty());
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return values.size() % 2 ? *middle : meanOfTwo(*std::max_element(values.begin(), middle), *middle);
}

} // namespace riffle
