// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/rank.h"

#include <charconv>

namespace riffle::record {

std::optional<int> wholeNumber(std::string_view text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.front() == '-')
        return std::nullopt;
    return number;
}

std::optional<int> rankFromEnvironment(const Lookup &lookup)
{
    for (const char *name :
         {"RANK", "PADDLE_TRAINER_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
        if (const char *value = lookup(name))
            if (const auto number = wholeNumber(value))
                return number;
    return std::nullopt;
}

} // namespace riffle::record
