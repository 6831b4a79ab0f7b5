// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/categories/program_ranges.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace riffle {

namespace {

struct MarkedRange {
    int64_t begin, end; ///< Unix nanoseconds, both included
    uint64_t sets;
};

/// The ranges that any set names, in order of start. Each end closes the latest open range with its name and device; a
/// range without an end lasts until the end of the history.
std::vector<MarkedRange> markedRanges(const MemorySnapshot &snapshot, const MemoryRules &rules)
{
    std::map<uint32_t, uint64_t> setsOf; // by name
    std::map<std::pair<int32_t, uint32_t>, std::vector<size_t>> open;
    std::vector<MarkedRange> ranges;
    for (const MemoryAnnotation &mark : snapshot.annotations) {
        const auto [known, isNew] = setsOf.try_emplace(mark.name, 0);
        for (size_t set = 0; isNew && set < rules.sets.size(); ++set)
            if (rules.sets[set].hasRange(snapshot.string(mark.name)))
                known->second |= uint64_t(1) << set;
        if (known->second == 0 || mark.time == MemoryEventTable::kNoTime)
            continue;
        std::vector<size_t> &opened = open[{mark.device, mark.name}];
        const std::string_view stage = snapshot.string(mark.stage);
        if (stage == "START") {
            opened.push_back(ranges.size());
            ranges.push_back({mark.time, std::numeric_limits<int64_t>::max(), known->second});
        } else if (stage == "END" && !opened.empty()) {
            ranges[opened.back()].end = std::max(mark.time, ranges[opened.back()].begin);
            opened.pop_back();
        }
    }
    std::stable_sort(ranges.begin(), ranges.end(),
                     [](const MarkedRange &a, const MarkedRange &b) { return a.begin < b.begin; });
    return ranges;
}

/// Leaves out the ranges in which a range of another set starts.
std::vector<MarkedRange> withoutClosures(const std::vector<MarkedRange> &ranges)
{
    // From the last range to the first: per set, the start of the next range of any other set.
    std::vector<MarkedRange> kept;
    std::map<uint64_t, int64_t> next; // by sets
    for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
        const bool isClosure = std::any_of(next.begin(), next.end(), [&](const auto &other) {
            return other.first != range->sets && other.second > range->begin && other.second < range->end;
        });
        if (!isClosure)
            kept.push_back(*range);
        next[range->sets] = range->begin;
    }
    std::reverse(kept.begin(), kept.end());
    return kept;
}

} // namespace

ProgramRanges::ProgramRanges(const MemorySnapshot &snapshot, const MemoryRules &rules)
{
    const std::vector<MarkedRange> ranges = withoutClosures(markedRanges(snapshot, rules));
    struct Change {
        int64_t time;
        uint64_t sets;
        bool opens;
    };
    std::vector<Change> changes;
    for (const MarkedRange &range : ranges) {
        m_starts.push_back({range.begin, range.sets});
        changes.push_back({range.begin, range.sets, true});
        if (range.end != std::numeric_limits<int64_t>::max())
            changes.push_back({range.end + 1, range.sets, false});
    }
    std::stable_sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) { return a.time < b.time; });
    std::array<int64_t, MemoryRules::kMostSets> open{};
    uint64_t sets = 0;
    for (const Change &change : changes) {
        for (uint64_t left = change.sets; left; left &= left - 1) {
            const auto set = static_cast<size_t>(std::countr_zero(left));
            open[set] += change.opens ? 1 : -1;
            sets = open[set] > 0 ? sets | uint64_t(1) << set : sets & ~(uint64_t(1) << set);
        }
        if (!m_changes.empty() && m_changes.back().time == change.time)
            m_changes.back().sets = sets;
        else
            m_changes.push_back({change.time, sets});
    }
}

uint64_t ProgramRanges::setsAt(int64_t unixNs) const
{
    if (unixNs == MemoryEventTable::kNoTime)
        return 0;
    const auto behind = std::partition_point(m_changes.begin(), m_changes.end(),
                                             [&](const Start &change) { return change.time <= unixNs; });
    return behind == m_changes.begin() ? 0 : (behind - 1)->sets;
}

} // namespace riffle
