// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/log/log_tables.h"
#include "model/base/format.h"

#include <algorithm>
#include <set>

namespace riffle {

namespace {

/// "2, 4-6"
std::string numbersText(const std::vector<int64_t> &numbers)
{
    constexpr size_t kMostRuns = 8;
    std::string text;
    size_t runs = 0;
    for (size_t at = 0; at < numbers.size(); ++runs) {
        size_t last = at;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        if (runs == kMostRuns)
            return text + " …";
        text += text.empty() ? "" : ", ";
        text += std::to_string(numbers[at]);
        if (last > at) {
            text += '-';
            text += std::to_string(numbers[last]);
        }
        at = last + 1;
    }
    return text;
}

std::string lettersOf(const MemoryLogRank &rank)
{
    std::string letters;
    for (const auto &[word, number] : rank.coordinates)
        letters += (letters.empty() ? "" : "_") + word;
    return letters;
}

} // namespace

std::vector<std::string> logRemarks(const MemoryLog &log)
{
    std::vector<std::string> remarks;
    if (log.ranks.size() == 1 && log.ranks[0].rank())
        remarks.push_back("Only one rank is here, " + log.ranks[0].name() +
                          ". That is fine if the job traced no more.");
    if (const auto missing = log.missingRanks(); !missing.empty() && log.ranks.size() > 1)
        remarks.push_back(formatCounted(static_cast<int64_t>(missing.size()), "rank below the highest rank is",
                                        "ranks below the highest rank are") +
                          " missing: " + numbersText(missing) + ".");
    std::set<std::string> letters;
    std::set<int64_t> numbers;
    std::set<size_t> points;
    for (const MemoryLogRank &rank : log.ranks) {
        letters.insert(lettersOf(rank));
        if (rank.rank() && !numbers.insert(*rank.rank()).second)
            remarks.push_back("Several folders belong to rank " + std::to_string(*rank.rank()) +
                              ": they may be from different runs.");
        if (rank.hasLog)
            points.insert(rank.points.size());
        else if (log.ranks.size() > 1)
            remarks.push_back(rank.name() + " has no memory.log.");
    }
    if (letters.size() > 1)
        remarks.push_back("The folders have different coordinates: they may be from different runs.");
    if (points.size() > 1)
        remarks.push_back("The ranks have between " + formatCount(static_cast<int64_t>(*points.begin())) + " and " +
                          formatCount(static_cast<int64_t>(*points.rbegin())) + " points.");
    for (const MemoryLogRank &rank : log.ranks) {
        if (rank.damage)
            remarks.push_back(rank.name() + ": " + Error{rank.damage->message, {}, rank.damage->offset}.text());
        for (const FileTrouble &trouble : rank.troubles)
            remarks.push_back(rank.name() + ": " + trouble.what + ": " +
                              formatCount(static_cast<int64_t>(trouble.count)) + ", the first in line " +
                              std::to_string(trouble.firstLine) + " at byte " + std::to_string(trouble.firstOffset) +
                              ".");
        for (const MemoryLogPage &page : rank.pages)
            if (page.damage)
                remarks.push_back(rank.name() + ": " + page.file + ": " + page.damage->message);
    }
    return remarks;
}

} // namespace riffle
