// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/pair_alignment.h"

#include "model/base/stopping.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace riffle {

namespace {

constexpr Ns kTight = 50'000;         ///< ends that agree, ns: most ends of real all-reduces differ by less than 20 µs
constexpr double kMostDrift = 100e-6; ///< of two clocks against each other
constexpr Ns kMostCorrection = 1000;  ///< by which one call corrects the offset, ns, where drift allows no more
constexpr size_t kVoters = 160;       ///< calls that vote
constexpr size_t kBand = 64;          ///< neighbours on each side with which each of them is compared
constexpr size_t kSample = 4096;      ///< calls on which offsets are compared
constexpr size_t kOffsets = 6;        ///< offsets that are compared, for each width of their votes
constexpr double kClear = 0.7;        ///< the next best offset must explain less than this share
constexpr double kFewestFirm = 3;     ///< pairs that show an offset
constexpr uint32_t kNoPair = UINT32_MAX;

template <typename T>
bool mayBeEqual(T a, T b, T unknown)
{
    return a == b || a == unknown || b == unknown;
}

bool fits(const AlignedCall &a, const AlignedCall &b)
{
    return a.symbol == b.symbol && mayBeEqual(a.kind, b.kind, AlignedCall::kUnknown) &&
           mayBeEqual(a.type, b.type, AlignedCall::kUnknown) && mayBeEqual(a.bytes, b.bytes, kNoInt) &&
           mayBeEqual(a.number, b.number, kNoInt);
}

/// The indices of calls by symbol, each in order.
class BySymbol {
public:
    explicit BySymbol(std::span<const AlignedCall> all) : m_place(all.size())
    {
        for (uint32_t at = 0; at < all.size(); ++at) {
            if (all[at].symbol >= m_calls.size())
                m_calls.resize(all[at].symbol + 1);
            m_place[at] = static_cast<uint32_t>(m_calls[all[at].symbol].size());
            m_calls[all[at].symbol].push_back(at);
        }
    }
    size_t symbols() const { return m_calls.size(); }
    std::span<const uint32_t> of(size_t symbol) const
    {
        return symbol < m_calls.size() ? std::span<const uint32_t>(m_calls[symbol]) : std::span<const uint32_t>();
    }
    /// The place of a call among those of its symbol.
    size_t placeOf(uint32_t call) const { return m_place[call]; }

private:
    std::vector<std::vector<uint32_t>> m_calls;
    std::vector<uint32_t> m_place;
};

/// The calls of the left rank that are compared, and all of the right one.
class Aligner {
public:
    Aligner(std::span<const AlignedCall> left, std::span<const AlignedCall> right)
        : m_left(left)
        , m_right(right)
        , m_lefts(left)
        , m_rights(right)
    {
    }

    /// Pairs the calls under an offset that follows the calls.
    PairAlignment pairedAt(const ClockLine &line)
    {
        PairAlignment found;
        found.line = line;
        m_ofLeft.assign(m_left.size(), kNoPair);
        m_ofRight.assign(m_right.size(), kNoPair);
        m_offsets.resize(m_left.size());
        std::vector<size_t> nearest(m_rights.symbols());
        Ns correction = 0, before = m_left.empty() ? 0 : m_left.front().end;
        for (uint32_t at = 0; at < m_left.size(); ++at) {
            throwIfStoppedAt(at);
            const AlignedCall &call = m_left[at];
            m_offsets[at] = saturatedSum(line.offsetAt(call.end), correction);
            const auto candidates = m_rights.of(call.symbol);
            if (candidates.empty())
                continue;
            size_t &from = nearest[call.symbol];
            for (size_t next = from; next < candidates.size(); next = firstAfter(candidates, next))
                if (next == from || rest(at, at, candidates[next]) < rest(at, at, candidates[from]))
                    from = next;
                else
                    break;
            // Each of several that end at one moment is taken once.
            if (m_ofRight[candidates[from]] != kNoPair && from + 1 < candidates.size() &&
                m_right[candidates[from + 1]].end == m_right[candidates[from]].end)
                ++from;
            const uint32_t other = candidates[from];
            const auto same = m_lefts.of(call.symbol);
            const size_t next = m_lefts.placeOf(at) + 1;
            const bool isNearest = next >= same.size() || rest(same[next], at, other) >= rest(at, at, other);
            if (!isNearest || m_ofRight[other] != kNoPair || !fits(call, m_right[other]) || overlap(at, other) < 0)
                continue;
            m_ofLeft[at] = other;
            m_ofRight[other] = at;
            const Ns most =
                std::max(kMostCorrection, static_cast<Ns>(kMostDrift * static_cast<double>(call.end - before)));
            correction += std::clamp((call.end - m_right[other].end - m_offsets[at]) / 4, -most, most);
            before = call.end;
        }
        for (uint32_t at = 0; at < m_left.size(); ++at)
            if (const uint32_t other = m_ofLeft[at]; other != kNoPair)
                found.pairs.push_back({at, other, isAlone(at, other) || isHemmed(at, other)});
        pairRest(found.pairs);
        std::sort(found.pairs.begin(), found.pairs.end(), [](const auto &a, const auto &b) { return a.left < b.left; });
        return found;
    }

    /// The share of pairs whose known steps are equal; 1 if no steps are known.
    double agreementOfSteps(const PairAlignment &found) const
    {
        size_t known = 0, equal = 0;
        for (const PairAlignment::Pair &pair : found.pairs)
            if (m_left[pair.left].step != kNoInt && m_right[pair.right].step != kNoInt) {
                ++known;
                equal += m_left[pair.left].step == m_right[pair.right].step;
            }
        return known == 0 ? 1 : static_cast<double>(equal) / static_cast<double>(known);
    }

    /// The firm pairs, less the calls that stay alone in the time that both ranks recorded.
    double scoreOf(const PairAlignment &found) const
    {
        if (found.pairs.empty())
            return 0;
        double score = 0;
        for (const PairAlignment::Pair &pair : found.pairs)
            score += pair.isFirm ? 1 : 0.25;
        const Ns offset = found.line.offsetAt(m_left[found.pairs[found.pairs.size() / 2].left].end);
        size_t mine = 0, theirs = 0;
        for (const AlignedCall &call : m_left)
            mine += m_right.front().end + offset - kTight <= call.start && call.end <= m_right.back().end + offset;
        for (const AlignedCall &call : m_right)
            theirs += m_left.front().end - kTight <= call.start + offset && call.end + offset <= m_left.back().end;
        const size_t most = std::max(mine, theirs);
        return score - (most > found.pairs.size() ? static_cast<double>(most - found.pairs.size()) : 0);
    }

private:
    /// The place of the first candidate that ends later than the one at `place`.
    size_t firstAfter(std::span<const uint32_t> candidates, size_t place) const
    {
        const Ns end = m_right[candidates[place]].end;
        if (place + 1 < candidates.size() && m_right[candidates[place + 1]].end > end)
            return place + 1;
        const auto later = std::upper_bound(candidates.begin() + static_cast<ptrdiff_t>(place), candidates.end(), end,
                                            [&](Ns time, uint32_t each) { return time < m_right[each].end; });
        return static_cast<size_t>(later - candidates.begin());
    }
    /// The difference between the ends of two calls, with the offset at `at`.
    Ns rest(uint32_t left, uint32_t at, uint32_t right) const
    {
        return std::abs(m_left[left].end - m_right[right].end - m_offsets[at]);
    }
    /// The time in which both calls ran, give or take what ends may differ by; negative if they did not.
    Ns overlap(uint32_t left, uint32_t right) const
    {
        const Ns offset = m_offsets[left];
        return std::min(m_left[left].end, m_right[right].end + offset) -
               std::max(m_left[left].start, m_right[right].start + offset) + kTight;
    }
    /// True if the ends agree, and those of the neighbours do not nearly as well.
    bool isAlone(uint32_t left, uint32_t right) const
    {
        const Ns own = rest(left, left, right);
        if (own > kTight)
            return false;
        const auto others = m_rights.of(m_left[left].symbol), same = m_lefts.of(m_left[left].symbol);
        const size_t there = m_rights.placeOf(right), here = m_lefts.placeOf(left);
        const auto isFar = [&](Ns distance) { return distance >= 2 * own + kMostCorrection; };
        return (there == 0 || isFar(rest(left, left, others[there - 1]))) &&
               (there + 1 >= others.size() || isFar(rest(left, left, others[there + 1]))) &&
               (here == 0 || isFar(rest(same[here - 1], left, right))) &&
               (here + 1 >= same.size() || isFar(rest(same[here + 1], left, right)));
    }
    /// True if the neighbours of both calls are paired with each other, and the calls ran at the same time for most of
    /// the shorter one.
    bool isHemmed(uint32_t left, uint32_t right) const
    {
        const auto others = m_rights.of(m_left[left].symbol), same = m_lefts.of(m_left[left].symbol);
        const size_t there = m_rights.placeOf(right), here = m_lefts.placeOf(left);
        return there > 0 && here > 0 && there + 1 < others.size() && here + 1 < same.size() &&
               m_ofLeft[same[here - 1]] == others[there - 1] && m_ofLeft[same[here + 1]] == others[there + 1] &&
               ranTogether(left, right);
    }
    bool ranTogether(uint32_t left, uint32_t right) const
    {
        const Ns shorter = std::min(m_left[left].end - m_left[left].start, m_right[right].end - m_right[right].start);
        return overlap(left, right) - kTight > shorter / 2;
    }

    /// Pairs calls that are left over between paired ones, if there are as many on both ranks.
    void pairRest(std::vector<PairAlignment::Pair> &pairs) const
    {
        for (size_t symbol = 0; symbol < m_lefts.symbols(); ++symbol) {
            const auto mine = m_lefts.of(symbol), theirs = m_rights.of(symbol);
            size_t a = 0, b = 0;
            while (a < mine.size() || b < theirs.size()) {
                const size_t firstMine = a, firstTheirs = b;
                while (a < mine.size() && m_ofLeft[mine[a]] == kNoPair)
                    ++a;
                while (b < theirs.size() && m_ofRight[theirs[b]] == kNoPair)
                    ++b;
                const size_t count = a - firstMine;
                bool isSame = count == b - firstTheirs;
                for (size_t at = 0; isSame && at < count; ++at)
                    isSame = fits(m_left[mine[firstMine + at]], m_right[theirs[firstTheirs + at]]) &&
                             overlap(mine[firstMine + at], theirs[firstTheirs + at]) >= 0;
                for (size_t at = 0; isSame && at < count; ++at) {
                    const uint32_t left = mine[firstMine + at], right = theirs[firstTheirs + at];
                    pairs.push_back({left, right, ranTogether(left, right)});
                }
                ++a; // the next two match each other
                ++b;
            }
        }
    }

    std::span<const AlignedCall> m_left, m_right;
    BySymbol m_lefts, m_rights;
    std::vector<uint32_t> m_ofLeft, m_ofRight; ///< the partner, or kNoPair
    std::vector<Ns> m_offsets;                 ///< per left call
};

/// The votes of a sample of the calls.
std::vector<ClockVote> votesOf(std::span<const AlignedCall> left, std::span<const AlignedCall> right)
{
    const BySymbol lefts(left), rights(right);
    std::vector<ClockVote> all;
    const size_t step = std::max<size_t>(1, left.size() / kVoters);
    for (size_t at = 0; at < left.size(); at += step) {
        const AlignedCall &call = left[at];
        const auto candidates = rights.of(call.symbol);
        const auto addAround = [&](size_t centre) {
            const size_t last = std::min(candidates.size(), centre + kBand);
            for (size_t place = centre > kBand ? centre - kBand : 0; place < last; ++place)
                if (fits(call, right[candidates[place]]))
                    all.push_back({call.end, call.end - right[candidates[place]].end});
        };
        const auto byTime = std::lower_bound(candidates.begin(), candidates.end(), call.end,
                                             [&](uint32_t candidate, Ns time) { return right[candidate].end < time; });
        addAround(static_cast<size_t>(byTime - candidates.begin()));
        const size_t place = lefts.placeOf(static_cast<uint32_t>(at)), fromEnd = lefts.of(call.symbol).size() - place;
        addAround(std::min(place, candidates.size()));                            // windows that start together
        addAround(candidates.size() > fromEnd ? candidates.size() - fromEnd : 0); // windows that end together
    }
    const auto key = [](const ClockVote &vote) { return std::pair(vote.offset, vote.at); };
    std::sort(all.begin(), all.end(), [&](const ClockVote &a, const ClockVote &b) { return key(a) < key(b); });
    all.erase(
        std::unique(all.begin(), all.end(), [&](const ClockVote &a, const ClockVote &b) { return key(a) == key(b); }),
        all.end());
    return all;
}

/// The lines through the most votes: those within what ends may differ by, then those within the drift, too.
std::vector<ClockLine> candidatesOf(std::span<const AlignedCall> left, std::span<const AlignedCall> right)
{
    const std::vector<ClockVote> all = votesOf(left, right);
    const Ns length = std::min(left.back().end - left.front().end, right.back().end - right.front().end);
    const Ns wide = kTight + static_cast<Ns>(kMostDrift * static_cast<double>(length));
    const Ns middle = left[left.size() / 2].end;
    std::vector<ClockLine> found;
    for (const Ns width : {kTight, wide}) {
        std::vector<std::pair<size_t, size_t>> runs; // votes, first
        for (size_t first = 0, last = 0; first < all.size(); ++first) {
            while (last < all.size() && all[last].offset - all[first].offset <= width)
                ++last;
            runs.emplace_back(last - first, first);
        }
        std::stable_sort(runs.begin(), runs.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
        std::vector<Ns> taken;
        for (const auto &[count, first] : runs) {
            const Ns offset = all[first + count / 2].offset;
            if (std::ranges::any_of(taken, [&](Ns each) { return std::abs(each - offset) <= width; }))
                continue;
            taken.push_back(offset);
            const auto begin = all.begin() + static_cast<ptrdiff_t>(first);
            const ClockLine line = lineThrough({begin, begin + static_cast<ptrdiff_t>(count)});
            if (std::ranges::none_of(found, [&](const ClockLine &other) {
                    return std::abs(other.offsetAt(middle) - line.offsetAt(middle)) <= kTight;
                }))
                found.push_back(line);
            if (taken.size() == kOffsets)
                break;
        }
        if (wide < 2 * kTight)
            break;
    }
    return found;
}

/// The number of pairs that both alignments have.
size_t commonPairs(const PairAlignment &a, const PairAlignment &b)
{
    size_t common = 0;
    for (size_t i = 0, j = 0; i < a.pairs.size() && j < b.pairs.size();) {
        common += a.pairs[i].left == b.pairs[j].left && a.pairs[i].right == b.pairs[j].right;
        if (a.pairs[i].left <= b.pairs[j].left)
            ++i;
        else
            ++j;
    }
    return common;
}

} // namespace

ClockLine lineThrough(std::vector<ClockVote> votes)
{
    std::sort(votes.begin(), votes.end(), [](const ClockVote &a, const ClockVote &b) { return a.at < b.at; });
    const auto middleOf = [&](size_t first, size_t last) {
        std::vector<Ns> offsets;
        for (size_t at = first; at < last; ++at)
            offsets.push_back(votes[at].offset);
        const auto middle = offsets.begin() + static_cast<ptrdiff_t>(offsets.size() / 2);
        std::nth_element(offsets.begin(), middle, offsets.end());
        return ClockVote{votes[(first + last - 1) / 2].at, *middle};
    };
    constexpr size_t kFewestInThird = 8;
    const size_t third = votes.size() / 3;
    const ClockVote all = middleOf(0, votes.size());
    if (third < kFewestInThird)
        return {all.offset, all.at, 0};
    const ClockVote early = middleOf(0, third), late = middleOf(votes.size() - third, votes.size());
    const double slope = late.at > early.at
                             ? static_cast<double>(late.offset - early.offset) / static_cast<double>(late.at - early.at)
                             : 0;
    return {early.offset, early.at, std::clamp(slope, -kMostDrift, kMostDrift)};
}

PairAlignment alignedAt(std::span<const AlignedCall> left, std::span<const AlignedCall> right, const ClockLine &line)
{
    return Aligner(left, right).pairedAt(line);
}

PairAlignment aligned(std::span<const AlignedCall> left, std::span<const AlignedCall> right)
{
    if (left.empty() || right.empty())
        return {};
    const auto sample =
        left.subspan(left.size() > kSample ? (left.size() - kSample) / 2 : 0, std::min(kSample, left.size()));
    Aligner onSample(sample, right);
    struct Tried {
        PairAlignment alignment;
        double score, agreement;
    };
    std::vector<Tried> tried;
    for (const ClockLine &line : candidatesOf(left, right)) {
        PairAlignment each = onSample.pairedAt(line);
        const double score = onSample.scoreOf(each), agreement = onSample.agreementOfSteps(each);
        tried.push_back({std::move(each), score, agreement});
    }
    // Ranks that run other steps at the same time recorded other numbers: then steps say nothing.
    if (std::ranges::any_of(tried, [](const Tried &each) { return each.agreement > 0.5; }))
        std::erase_if(tried, [](const Tried &each) { return each.agreement <= 0.5; });
    if (tried.empty())
        return {};
    std::ranges::stable_sort(tried, [](const Tried &a, const Tried &b) { return a.score > b.score; });
    // The recorded clocks suggest the least of several offsets that explain nearly as many calls, but do not prove it.
    const double enough = kClear * tried.front().score;
    const auto rivals = std::ranges::find_if(tried, [&](const Tried &each) { return each.score < enough; });
    const auto least = std::min_element(tried.begin(), std::max(rivals, tried.begin() + 1), [&](auto &a, auto &b) {
        return std::abs(a.alignment.line.offsetAt(sample[0].end)) < std::abs(b.alignment.line.offsetAt(sample[0].end));
    });
    if (2 * commonPairs(tried.front().alignment, least->alignment) < least->alignment.pairs.size())
        std::iter_swap(tried.begin(), least); // otherwise both have the same pairs, and the better line stays
    const PairAlignment &first = tried.front().alignment;
    double second = 0;
    for (const Tried &each : tried)
        if (2 * commonPairs(first, each.alignment) < each.alignment.pairs.size())
            second = std::max(second, each.score); // it is no other view of the same pairs
    const double best = tried.front().score;
    PairAlignment found = Aligner(left, right).pairedAt(first.line);
    found.isClear = best >= kFewestFirm && second < kClear * best;
    return found;
}

} // namespace riffle
