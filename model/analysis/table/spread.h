// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace riffle {

/// One value as several traces have it.
template <typename T>
struct Spread {
    T least{}, median{}, largest{};
    T width{};        ///< largest − least
    size_t worst = 0; ///< the place of the largest value; the first one of equals
};

/// The spread of the values that were recorded; none if there are none. kNoInt and NaN mean "not recorded". The median
/// of an even number of values is the mean of the middle two; for integers, it is rounded like roundedQuotient().
std::optional<Spread<int64_t>> spreadOf(std::span<const int64_t> values);
std::optional<Spread<double>> spreadOf(std::span<const double> values);

} // namespace riffle
