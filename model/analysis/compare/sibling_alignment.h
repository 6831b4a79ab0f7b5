// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace riffle {

/// A node in a row of siblings. Siblings can pair if their labels are equal; they are equal if their hashes are, too.
struct Sibling {
    uint32_t node = 0;
    uint32_t label = 0;
    uint64_t hash = 0;
    bool isEqual(const Sibling &other) const { return label == other.label && hash == other.hash; }
};

/// Aligns two rows of siblings in their order.
class SiblingAlignment {
public:
    static constexpr size_t kMostCells = 2'000 * 2'000;  ///< of one table for a longest common sequence
    static constexpr size_t kAllCells = 64 * kMostCells; ///< of all tables of an alignment together
    static constexpr uint32_t kRoughWindow = 128;        ///< of a rough alignment, in siblings of each row

    using Pair = std::pair<uint32_t, uint32_t>; ///< an index into each row

    /// Returns the pairs, ascending in both rows. The rules apply to what the ones before have left:
    /// 1. Equal siblings at the start of both rows pair, then those at the end.
    /// 2. Siblings that are equal and unique in their rows pair. If their order differs, the longest sequence that is
    ///    in order counts.
    /// 3. Between these, siblings whose label is unique between them pair, again the longest sequence in order.
    /// 4. Between these, the longest common sequence of labels pairs; of several, one with the most equal siblings. If
    ///    that needs too large a table, the alignment is rough: it goes on in windows, of whose longest common
    ///    sequences it takes the first half. Its time is then linear.
    /// Valid until the next call.
    const std::vector<Pair> &align(std::span<const Sibling> a, std::span<const Sibling> b);

    uint64_t rough() const { return m_rough; } ///< the number of rough alignments so far

private:
    /// A part of both rows: [a, aEnd) and [b, bEnd).
    struct Gap {
        uint32_t a, aEnd, b, bEnd;
        bool isOpen() const { return a < aEnd && b < bEnd; }
    };
    template <typename Key>
    void pairUnique(Gap gap, Key key, std::vector<Pair> &pairs);
    template <typename Visit>
    static void forEachGap(Gap whole, const std::vector<Pair> &pairs, Visit visit);
    void pairLongest(Gap gap);
    /// Pairs the longest common sequence of a gap up to some indices, and returns the indices where it goes on.
    Pair pairPart(Gap gap, uint32_t untilA, uint32_t untilB);

    std::span<const Sibling> m_a, m_b;
    std::vector<Pair> m_pairs;
    std::vector<Pair> m_equal, m_labels; ///< the pairs of rules 2 and 3
    std::vector<uint32_t> m_scores;
    std::vector<uint8_t> m_moves;
    size_t m_cells = 0; ///< of all tables so far
    uint64_t m_rough = 0;
};

/// Returns the longest part of the pairs in which the second numbers ascend; the pairs are ordered by the first one. Of
/// several, the one that ends with the smallest number, and before each pair the latest one that fits.
std::vector<SiblingAlignment::Pair> longestAscending(std::span<const SiblingAlignment::Pair> pairs);

} // namespace riffle
