// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/written_ranks.h"

#include <algorithm>
#include <charconv>

namespace riffle {

constexpr int64_t kLargestRank = int64_t{1} << 40; ///< a larger number is damage

WrittenRanks writtenRanks(std::string_view text)
{
    WrittenRanks found;
    if (text.size() < 2 || text.front() != '[' || text.back() != ']')
        return found;
    text = text.substr(1, text.size() - 2);
    const auto isPadding = [](char c) { return c == ' ' || c == '"'; };
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        std::string_view entry = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        while (!entry.empty() && isPadding(entry.front()))
            entry.remove_prefix(1);
        int64_t rank = 0;
        const char *const last = entry.data() + entry.size();
        const auto [end, error] = std::from_chars(entry.data(), last, rank);
        if (error != std::errc() || rank < 0 || rank > kLargestRank || !std::all_of(end, last, isPadding))
            return found; // dots, or no number
        found.first.push_back(rank);
    }
    std::sort(found.first.begin(), found.first.end());
    if (std::adjacent_find(found.first.begin(), found.first.end()) == found.first.end())
        found.whole = RankList(found.first);
    found.first.clear();
    return found;
}

} // namespace riffle
