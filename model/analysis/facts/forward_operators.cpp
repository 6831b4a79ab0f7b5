// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/forward_operators.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/base/merge_sort.h"
#include "model/base/seeded_hash.h"
#include "model/trace/details.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

namespace riffle {

namespace {

struct Numbered {
    int64_t sequence;
    Ns start;
    uint32_t depth;
    uint32_t call;
    uint32_t lane;
    int64_t forwardThread; ///< 0 for a forward operator
};

struct Operators {
    BigVector<Numbered> forward;  ///< sorted by sequence and lane, then by preference, the best last
    BigVector<Numbered> backward; ///< sorted by call
};

Operators numberedOperators(const Trace &trace, const CallTree &calls)
{
    Operators found;
    SliceReader outer(trace);
    uint32_t call = CallTree::kNone;
    const auto isBackward = [&](uint32_t name) {
        const uint32_t around = calls.operatorAround(call);
        const bool isInside = around != CallTree::kNone && outer.seek(calls.slice[around]);
        return isBackwardName(trace.string(name), isInside ? trace.string(outer.name()) : std::string_view());
    };
    forEachDetail(trace, &Segment::operators, [&](const Segment &segment, uint32_t at, uint32_t row) {
        const OperatorTable &operators = segment.operators;
        if (operators.sequence[row] == kNoInt)
            return;
        call = calls.operatorThatIs(operators.slice[row]);
        if (call == CallTree::kNone)
            return;
        int64_t thread = operators.forwardThread[row];
        if (thread == kNoInt && !isBackward(segment.slices.name[at]))
            thread = 0;
        const Numbered one{operators.sequence[row],    segment.slices.start[at],
                           trace.depthOf(segment, at), call,
                           segment.lane.value,         thread};
        (thread ? found.backward : found.forward).push_back(one);
    });
    if (found.backward.empty())
        return found;
    stoppableSort(found.forward, [](const Numbered &a, const Numbered &b) {
        return std::tie(a.sequence, a.lane, a.start, a.depth, b.call) <
               std::tie(b.sequence, b.lane, b.start, b.depth, a.call);
    });
    return found;
}

/// The position of the first forward operator that is not before (sequence, lane, start) in the sort order.
size_t place(std::span<const Numbered> forward, int64_t sequence, uint32_t lane, Ns start)
{
    const auto found = std::partition_point(forward.begin(), forward.end(), [&](const Numbered &one) {
        return std::tie(one.sequence, one.lane, one.start) < std::tie(sequence, lane, start);
    });
    return static_cast<size_t>(found - forward.begin());
}

/// Per lane, the start of its first operator.
std::vector<Ns> laneBegins(const Trace &trace, const CallTree &calls)
{
    std::vector<Ns> begins(trace.lanes.size(), kLatestTime);
    SliceReader reader(trace);
    for (uint32_t call = 0; call < calls.size(); ++call)
        if (calls.isOperator[call] && reader.seek(calls.slice[call]))
            begins[reader.lane().value] = std::min(begins[reader.lane().value], reader.start());
    return begins;
}

/// The lane from which the forward operators for each Fwd thread id are taken.
SeededMap<int64_t, uint32_t> forwardLanes(const Trace &trace, const CallTree &calls, const Operators &operators)
{
    const std::span<const Numbered> forward = operators.forward;
    std::map<std::pair<int64_t, uint32_t>, uint64_t> votes;
    for (const Numbered &backward : operators.backward) {
        size_t at = place(forward, backward.sequence, 0, INT64_MIN);
        while (at < forward.size() && forward[at].sequence == backward.sequence) {
            const uint32_t lane = forward[at].lane;
            if (forward[at].start < backward.start)
                ++votes[{backward.forwardThread, lane}];
            at = place(forward, backward.sequence, lane + 1, INT64_MIN);
        }
    }
    const std::vector<Ns> begins = laneBegins(trace, calls);
    SeededMap<int64_t, uint32_t> chosen;
    for (const auto &[key, count] : votes) {
        const auto [thread, lane] = key;
        const auto [entry, isNew] = chosen.emplace(thread, lane);
        const uint64_t most = votes.at({thread, entry->second});
        if (!isNew && (count > most || (count == most && begins[lane] < begins[entry->second])))
            entry->second = lane;
    }
    return chosen;
}

} // namespace

BigVector<ForwardOperator> forwardOperators(const Trace &trace, const CallTree &calls)
{
    const Operators operators = numberedOperators(trace, calls);
    const std::span<const Numbered> forward = operators.forward;
    BigVector<ForwardOperator> found;
    if (operators.backward.empty() || forward.empty())
        return found;
    const uint32_t firstLane = forward.front().lane;
    const bool oneLane =
        std::all_of(forward.begin(), forward.end(), [&](const Numbered &one) { return one.lane == firstLane; });
    const auto lanes = oneLane ? SeededMap<int64_t, uint32_t>{} : forwardLanes(trace, calls, operators);
    for (const Numbered &backward : operators.backward) {
        const auto chosen = lanes.find(backward.forwardThread);
        const uint32_t lane = chosen == lanes.end() ? firstLane : chosen->second;
        const size_t after = place(forward, backward.sequence, lane, backward.start);
        if (after > 0 && forward[after - 1].sequence == backward.sequence && forward[after - 1].lane == lane)
            found.push_back({backward.call, forward[after - 1].call});
    }
    return found;
}

} // namespace riffle
