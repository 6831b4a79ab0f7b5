// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/text_ranks.h"

#include <algorithm>

namespace riffle {

TextRanks ranksOfStrings(const std::vector<QueryTrace> &traces)
{
    TextRanks ranks;
    for (const QueryTrace &trace : traces)
        ranks.emplace_back(trace.sortedStrings().size());
    std::vector<size_t> heads(traces.size(), 0);
    const auto head = [&](size_t trace) {
        return traces[trace].trace().string(traces[trace].sortedStrings()[heads[trace]]);
    };
    for (uint32_t rank = 0;; ++rank) {
        std::optional<std::string_view> least;
        for (size_t trace = 0; trace < traces.size(); ++trace)
            if (heads[trace] < ranks[trace].size() && (!least || head(trace) < *least))
                least = head(trace);
        if (!least)
            return ranks;
        for (size_t trace = 0; trace < traces.size(); ++trace)
            while (heads[trace] < ranks[trace].size() && head(trace) == *least)
                ranks[trace][traces[trace].sortedStrings()[heads[trace]++]] = rank;
    }
}

TextRanks ranksOfTexts(const std::vector<QueryTrace> &traces,
                       const std::function<const std::vector<std::string> &(const QueryTrace &)> &texts)
{
    std::vector<std::string_view> sorted;
    for (const QueryTrace &trace : traces)
        sorted.insert(sorted.end(), texts(trace).begin(), texts(trace).end());
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    TextRanks ranks;
    for (const QueryTrace &trace : traces) {
        std::vector<uint32_t> &of = ranks.emplace_back();
        for (const std::string &text : texts(trace))
            of.push_back(static_cast<uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), text) - sorted.begin()));
    }
    return ranks;
}

} // namespace riffle
