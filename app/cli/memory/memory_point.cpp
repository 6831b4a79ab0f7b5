// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/memory/memory_point.h"

#include <fmt/format.h>

namespace riffle::cli {

Result<MemoryMoment> parsePointMoment(std::string_view text)
{
    const auto moment = parseMemoryMoment(text.empty() ? "peak" : text);
    const bool hasUnit = !text.empty() && (text.back() < '0' || text.back() > '9') && text.back() != '.';
    if (!moment || moment->kind == MemoryMoment::Kind::OutOfMemory ||
        (moment->kind == MemoryMoment::Kind::Time && !hasUnit))
        return Error{
            fmt::format("'{}' is not a point. Use {}.", text, kPointForm), {}, std::nullopt, ErrorKind::Question};
    return moment;
}

Error noSuchPoint(const std::string &path, int64_t number, size_t points)
{
    return Error{points == 0 ? std::string("There are no points.")
                             : fmt::format("There is no point {}. The points are 0 to {}.", number, points - 1),
                 path, std::nullopt, ErrorKind::Question};
}

} // namespace riffle::cli
