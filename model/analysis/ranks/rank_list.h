// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// A set of ranks that never changes. It is stored as ranges and shared by its copies: a job can have a million ranks,
/// and each of its groups and divergences names them.
class RankList {
public:
    struct Range {
        int64_t first = 0, last = 0; ///< both are in it
        int64_t before = 0;          ///< ranks of the list in front of it
        bool operator==(const Range &) const = default;
    };

    RankList() = default;
    RankList(std::vector<int64_t> ranks); // NOLINT(google-explicit-constructor): the same ranks
    /// The ranks from 0 to `count` - 1.
    static RankList firstRanks(int64_t count);

    bool empty() const { return !m_ranges; }
    size_t size() const { return m_size; }
    bool contains(int64_t rank) const;
    /// The rank at this place of the ascending list; -1 if there is none.
    int64_t at(int64_t place) const;
    RankList without(const std::vector<int64_t> &ascending) const;

    const std::vector<Range> &ranges() const;
    template <typename Call>
    void forEach(Call call) const
    {
        for (const Range &range : ranges())
            for (int64_t rank = range.first; rank <= range.last; ++rank)
                call(rank);
    }
    bool operator==(const RankList &other) const { return ranges() == other.ranges(); }

private:
    static RankList ofRanges(std::vector<Range> ranges);

    std::shared_ptr<const std::vector<Range>> m_ranges; ///< ascending, with gaps between them; null if there are none
    size_t m_size = 0;
};

/// "0-3, 8": ranks for messages.
std::string rankListText(const RankList &ranks);

} // namespace riffle
