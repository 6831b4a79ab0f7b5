// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/rank_list.h"

#include <algorithm>

namespace riffle {

RankList RankList::ofRanges(std::vector<Range> ranges)
{
    RankList list;
    for (Range &range : ranges) {
        range.before = static_cast<int64_t>(list.m_size);
        list.m_size += static_cast<size_t>(range.last - range.first) + 1;
    }
    if (!ranges.empty())
        list.m_ranges = std::make_shared<const std::vector<Range>>(std::move(ranges));
    return list;
}

RankList::RankList(std::vector<int64_t> ranks)
{
    std::ranges::sort(ranks);
    std::vector<Range> ranges;
    for (const int64_t rank : ranks)
        if (!ranges.empty() && ranges.back().last + 1 >= rank)
            ranges.back().last = rank;
        else
            ranges.push_back({.first = rank, .last = rank});
    *this = ofRanges(std::move(ranges));
}

RankList RankList::firstRanks(int64_t count)
{
    return count > 0 ? ofRanges({{.first = 0, .last = count - 1}}) : RankList();
}

bool RankList::contains(int64_t rank) const
{
    const auto after = std::ranges::upper_bound(ranges(), rank, {}, &Range::first);
    return after != ranges().begin() && std::prev(after)->last >= rank;
}

int64_t RankList::at(int64_t place) const
{
    if (place < 0 || place >= static_cast<int64_t>(m_size))
        return -1;
    const Range &range = *std::prev(std::ranges::upper_bound(ranges(), place, {}, &Range::before));
    return range.first + (place - range.before);
}

RankList RankList::without(const std::vector<int64_t> &ascending) const
{
    std::vector<Range> left;
    for (Range range : ranges()) {
        for (auto rank = std::ranges::lower_bound(ascending, range.first);
             rank != ascending.end() && *rank <= range.last; ++rank) {
            if (*rank > range.first)
                left.push_back({.first = range.first, .last = *rank - 1});
            range.first = *rank + 1;
        }
        if (range.first <= range.last)
            left.push_back(range);
    }
    return ofRanges(std::move(left));
}

const std::vector<RankList::Range> &RankList::ranges() const
{
    static const std::vector<Range> none;
    return m_ranges ? *m_ranges : none;
}

std::string rankListText(const RankList &ranks)
{
    std::string text;
    for (const RankList::Range &range : ranks.ranges()) {
        text.append(text.empty() ? "" : ", ").append(std::to_string(range.first));
        if (range.last > range.first)
            text.append(range.last - range.first > 1 ? "-" : ", ").append(std::to_string(range.last));
    }
    return text;
}

} // namespace riffle
