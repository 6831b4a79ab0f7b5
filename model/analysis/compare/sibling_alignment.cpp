// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/sibling_alignment.h"

#include "model/analysis/compare/unique_pairs.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <tuple>

namespace riffle {

namespace {

/// A pair of a common sequence counts so much that the number of pairs comes first, then the number of equal ones.
constexpr uint32_t kPairScore = 1 << 12, kEqualScore = 1;
enum Move : uint8_t { SkipA, SkipB, TakeBoth };

} // namespace

std::vector<SiblingAlignment::Pair> longestAscending(std::span<const SiblingAlignment::Pair> pairs)
{
    std::vector<uint32_t> piles; // per length, the pair that ends a sequence of this length with the smallest number
    std::vector<uint32_t> before(pairs.size());
    for (uint32_t at = 0; at < pairs.size(); ++at) {
        const auto pile =
            std::ranges::lower_bound(piles, pairs[at].second, {}, [&](uint32_t pair) { return pairs[pair].second; });
        before[at] = pile == piles.begin() ? 0 : *(pile - 1);
        if (pile == piles.end())
            piles.push_back(at);
        else
            *pile = at;
    }
    std::vector<SiblingAlignment::Pair> longest(piles.size());
    for (size_t at = piles.size(), from = piles.empty() ? 0 : piles.back(); at-- > 0; from = before[from])
        longest[at] = pairs[from];
    return longest;
}

template <typename Visit>
void SiblingAlignment::forEachGap(Gap whole, const std::vector<Pair> &pairs, Visit visit)
{
    Gap gap = whole;
    for (const auto &[a, b] : pairs) {
        visit(Gap{gap.a, a, gap.b, b});
        gap.a = a + 1;
        gap.b = b + 1;
    }
    visit(gap);
}

template <typename Key>
void SiblingAlignment::pairUnique(Gap gap, Key key, std::vector<Pair> &pairs)
{
    pairs.clear();
    if (!gap.isOpen())
        return;
    const auto keyed = [&](std::span<const Sibling> row, uint32_t begin, uint32_t end) {
        std::vector<std::pair<decltype(key(m_a[0])), uint32_t>> entries;
        entries.reserve(end - begin);
        for (uint32_t at = begin; at < end; ++at)
            entries.emplace_back(key(row[at]), at);
        return entries;
    };
    pairs = uniquePairs(keyed(m_a, gap.a, gap.aEnd), keyed(m_b, gap.b, gap.bEnd));
}

void SiblingAlignment::pairLongest(Gap gap)
{
    const size_t cells = size_t{gap.aEnd - gap.a} * (gap.bEnd - gap.b);
    if (cells <= kMostCells && cells <= kAllCells - m_cells) {
        m_cells += cells;
        pairPart(gap, gap.aEnd, gap.bEnd);
        return;
    }
    ++m_rough;
    while (gap.isOpen()) {
        const Gap window{gap.a, std::min(gap.aEnd, gap.a + kRoughWindow), gap.b,
                         std::min(gap.bEnd, gap.b + kRoughWindow)};
        const bool isLast = window.aEnd == gap.aEnd && window.bEnd == gap.bEnd;
        // The pairs in the second half would be others if the window went on.
        std::tie(gap.a, gap.b) = pairPart(window, isLast ? window.aEnd : window.a + kRoughWindow / 2,
                                          isLast ? window.bEnd : window.b + kRoughWindow / 2);
    }
}

SiblingAlignment::Pair SiblingAlignment::pairPart(Gap gap, uint32_t untilA, uint32_t untilB)
{
    const size_t rows = gap.aEnd - gap.a, columns = gap.bEnd - gap.b;
    m_moves.resize(rows * columns);
    // scores[column] is the best score of what follows (row, column) in both rows; computed from the end.
    m_scores.assign(columns + 1, 0);
    for (size_t row = rows; row-- > 0;) {
        throwIfStopped();
        uint32_t diagonal = 0; // of the row behind this one
        const Sibling &a = m_a[gap.a + row];
        for (size_t column = columns; column-- > 0;) {
            const Sibling &b = m_b[gap.b + column];
            const uint32_t behind = m_scores[column]; // with a left out
            const uint32_t both = a.label == b.label ? diagonal + kPairScore + (a.hash == b.hash ? kEqualScore : 0) : 0;
            const uint32_t best = std::max({both, behind, m_scores[column + 1]});
            m_moves[row * columns + column] = best == both && both > 0 ? TakeBoth : best == behind ? SkipA : SkipB;
            diagonal = behind;
            m_scores[column] = best;
        }
    }
    uint32_t atA = gap.a, atB = gap.b;
    while (atA < std::min(gap.aEnd, untilA) && atB < std::min(gap.bEnd, untilB)) {
        const uint8_t move = m_moves[(atA - gap.a) * columns + (atB - gap.b)];
        if (move == TakeBoth)
            m_pairs.emplace_back(atA, atB);
        atA += move != SkipB;
        atB += move != SkipA;
    }
    return {atA, atB};
}

const std::vector<SiblingAlignment::Pair> &SiblingAlignment::align(std::span<const Sibling> a,
                                                                   std::span<const Sibling> b)
{
    m_a = a;
    m_b = b;
    m_pairs.clear();
    Gap gap{0, static_cast<uint32_t>(a.size()), 0, static_cast<uint32_t>(b.size())};
    for (; gap.isOpen() && a[gap.a].isEqual(b[gap.b]); ++gap.a, ++gap.b)
        m_pairs.emplace_back(gap.a, gap.b);
    while (gap.isOpen() && a[gap.aEnd - 1].isEqual(b[gap.bEnd - 1])) {
        --gap.aEnd;
        --gap.bEnd;
    }
    if (gap.isOpen()) {
        pairUnique(
            gap, [](const Sibling &one) { return std::pair(one.hash, one.label); }, m_equal);
        forEachGap(gap, m_equal, [&](Gap between) {
            pairUnique(
                between, [](const Sibling &one) { return one.label; }, m_labels);
            forEachGap(between, m_labels, [&](Gap inner) {
                if (inner.isOpen())
                    pairLongest(inner);
                if (inner.aEnd < between.aEnd && inner.bEnd < between.bEnd)
                    m_pairs.emplace_back(inner.aEnd, inner.bEnd);
            });
            if (between.aEnd < gap.aEnd && between.bEnd < gap.bEnd)
                m_pairs.emplace_back(between.aEnd, between.bEnd);
        });
    }
    for (; gap.aEnd < a.size(); ++gap.aEnd, ++gap.bEnd)
        m_pairs.emplace_back(gap.aEnd, gap.bEnd);
    return m_pairs;
}

} // namespace riffle
