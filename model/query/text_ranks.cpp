// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/text_ranks.h"

#include <algorithm>

namespace riffle {

TextRanks ranksOfStrings(const QueryFiles &files)
{
    TextRanks ranks;
    for (const auto &file : files)
        ranks.emplace_back(file->sortedStrings().size());
    std::vector<size_t> heads(files.size(), 0);
    const auto head = [&](size_t file) { return files[file]->string(files[file]->sortedStrings()[heads[file]]); };
    for (uint32_t rank = 0;; ++rank) {
        std::optional<std::string_view> least;
        for (size_t file = 0; file < files.size(); ++file)
            if (heads[file] < ranks[file].size() && (!least || head(file) < *least))
                least = head(file);
        if (!least)
            return ranks;
        for (size_t file = 0; file < files.size(); ++file)
            while (heads[file] < ranks[file].size() && head(file) == *least)
                ranks[file][files[file]->sortedStrings()[heads[file]++]] = rank;
    }
}

TextRanks ranksOfTexts(const QueryFiles &files,
                       const std::function<const std::vector<std::string> &(const QueryFile &)> &texts)
{
    std::vector<std::string_view> sorted;
    for (const auto &file : files)
        sorted.insert(sorted.end(), texts(*file).begin(), texts(*file).end());
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    TextRanks ranks;
    for (const auto &file : files) {
        std::vector<uint32_t> &of = ranks.emplace_back();
        for (const std::string &text : texts(*file))
            of.push_back(static_cast<uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), text) - sorted.begin()));
    }
    return ranks;
}

} // namespace riffle
