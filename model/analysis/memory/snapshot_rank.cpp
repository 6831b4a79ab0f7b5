// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/snapshot_rank.h"

#include <cctype>
#include <charconv>
#include <string>

namespace riffle {

std::optional<int64_t> rankInName(std::string_view path)
{
    constexpr std::string_view kWord = "rank";
    std::string name(path.substr(path.rfind('/') + 1));
    for (char &letter : name)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    for (size_t at = name.rfind(kWord); at != std::string::npos;
         at = at ? name.rfind(kWord, at - 1) : std::string::npos) {
        const char *begin = name.data() + at + kWord.size(), *end = name.data() + name.size();
        if (begin != end && std::string_view("_-.=").find(*begin) != std::string_view::npos)
            ++begin;
        int64_t rank = 0;
        if (begin != end && *begin != '-' && std::from_chars(begin, end, rank).ec == std::errc())
            return rank;
    }
    return std::nullopt;
}

} // namespace riffle
