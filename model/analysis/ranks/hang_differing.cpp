// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/hang_differing.h"

#include "model/analysis/ranks/hang_compare.h"
#include "model/base/format.h"

#include <algorithm>

namespace riffle {

namespace {

using Calls = std::vector<FlightCall>;

/// How often calls with `next` follow calls with `before` in the calls before `sequence` of all ranks.
uint64_t timesAfter(std::span<const PresentRank> all, int64_t sequence, const CallSignature &before,
                    const CallSignature &next, const Task &task)
{
    uint64_t times = 0;
    for (const PresentRank &one : all) {
        if (!one.calls)
            continue;
        std::optional<CallSignature> last;
        for (const auto &[number, calls] : one.calls->collectives) {
            if (number >= sequence || task.stopped())
                break;
            if (!one.comparedAt(number))
                continue;
            CallSignature own = callSignatureOf(*one.dump->dump, calls);
            times += last && last->fits(before) && own.fits(next);
            last = std::move(own);
        }
    }
    return times;
}

/// For how many calls in a row the calls of `late` from `sequence` on are those that `reference` has one later.
uint64_t shiftedCalls(const PresentRank &late, const PresentRank &reference, int64_t sequence, const Task &task)
{
    uint64_t alike = 0;
    for (int64_t at = sequence;; ++at) {
        const Calls *left = late.comparedAt(at), *right = reference.comparedAt(at + 1);
        if (!left || !right || task.stopped())
            return alike;
        if (!callSignatureOf(*late.dump->dump, *left).fits(callSignatureOf(*reference.dump->dump, *right)))
            return 0;
        ++alike;
    }
}

} // namespace

CallSignature callSignatureOf(const FlightDump &dump, const Calls &calls)
{
    CallSignature own;
    for (const FlightCall &call : calls) {
        const FlightEntry &entry = dump.entries[call.entry];
        const SizeRule rule = sizeRuleOf(call.kind);
        own.kinds.append(own.kinds.empty() ? "" : " + ").append(call.kind);
        // Only one rank of a gather has tensors to gather into, so types and sizes differ.
        if (rule != SizeRule::None)
            own.dtypes += std::string(dump.text(entry.inputs.dtypes)) + ";";
        own.sizes.push_back(rule == SizeRule::Both || rule == SizeRule::Input ? entry.inputs.elements : -1);
        own.sizes.push_back(rule == SizeRule::Both || rule == SizeRule::Output ? entry.outputs.elements : -1);
    }
    return own;
}

std::optional<std::pair<int64_t, int64_t>> exchanged(std::span<const PresentRank> all, int64_t sequence)
{
    int64_t sent = 0, wanted = 0;
    for (const PresentRank &one : all) {
        const Calls *calls = one.comparedAt(sequence);
        if (!calls || calls->size() != 1 || sizeRuleOf(calls->front().kind) != SizeRule::Sum)
            return std::nullopt;
        const FlightEntry &entry = one.dump->entry(calls->front().entry);
        if (entry.inputs.elements < 0 || entry.outputs.elements < 0 ||
            __builtin_add_overflow(sent, entry.inputs.elements, &sent) ||
            __builtin_add_overflow(wanted, entry.outputs.elements, &wanted))
            return std::nullopt;
    }
    return std::pair(sent, wanted);
}

Divergence differing(const JobGroup &group, std::span<const PresentRank> all, int64_t sequence, const Task &task)
{
    // Calls with all sizes come first: one without could fit two that differ.
    std::vector<std::pair<CallSignature, const PresentRank *>> made;
    for (const PresentRank &one : all)
        if (const Calls *own = one.comparedAt(sequence))
            made.emplace_back(callSignatureOf(*one.dump->dump, *own), &one);
    std::ranges::stable_sort(made, {}, [](const auto &call) { return call.first.gaps(); });
    std::vector<std::pair<CallSignature, std::vector<const PresentRank *>>> parties;
    for (const auto &call : made) {
        auto party = std::ranges::find_if(parties, [&](const auto &other) { return other.first.fits(call.first); });
        if (party == parties.end())
            party = parties.insert(party, {call.first, {}});
        party->second.push_back(call.second);
    }
    std::ranges::stable_sort(parties, std::greater(), [](const auto &party) { return party.second.size(); });
    const bool isOtherKind = std::ranges::any_of(
        parties, [&](const auto &party) { return party.first.kinds != parties.front().first.kinds; });
    Divergence found =
        divergenceOf(group, isOtherKind ? DivergenceKind::OtherCollective : DivergenceKind::OtherSize, sequence);
    bool isTold = parties.size() > 1 && parties[0].second.size() > parties[1].second.size();
    constexpr size_t kMostParties = 16; // of more, none is the habit
    if (!isTold && parties.size() > 1 && parties.size() <= kMostParties) {
        // Equally many ranks made one call and another. The call that used to follow the one before is the right one.
        std::optional<CallSignature> before;
        for (const PresentRank &one : all)
            if (const Calls *calls = one.comparedAt(sequence - 1); calls && !before)
                before = callSignatureOf(*one.dump->dump, *calls);
        if (before) {
            std::vector<uint64_t> times;
            for (const auto &party : parties)
                times.push_back(timesAfter(all, sequence, *before, party.first, task));
            const auto most = std::ranges::max_element(times);
            isTold = *most > 0 && std::ranges::count(times, 0u) + 1 == static_cast<std::ptrdiff_t>(times.size());
            if (isTold) {
                std::rotate(parties.begin(), parties.begin() + (most - times.begin()),
                            parties.begin() + (most - times.begin()) + 1);
                found.evidence.push_back("Before, " + parties[0].first.kinds + " followed " + before->kinds + " " +
                                         formatCounted(static_cast<int64_t>(*most), "time", "times") +
                                         ", and no other call did.");
            }
        }
    }
    const PresentRank &right = *parties[0].second.front();
    found.operation = callText(*right.dump->dump, right.at(sequence)->front().entry);
    std::vector<const PresentRank *> wrong;
    if (isTold)
        for (size_t at = 1; at < parties.size(); ++at)
            wrong.insert(wrong.end(), parties[at].second.begin(), parties[at].second.end());
    else
        found.evidence.push_back("The dumps do not tell which of the calls is the wrong one.");
    std::ranges::sort(wrong, {}, [](const PresentRank *one) { return one->member->rank; });
    std::vector<int64_t> culprits;
    for (const PresentRank *one : wrong)
        culprits.push_back(one->member->rank);
    found.culprits = RankList(culprits);
    found.sureness = group.isKnown ? Sureness::Sure : Sureness::Likely;
    // A rank that left out a call makes the next one in its place, and goes on one call early.
    uint64_t leftOut = UINT64_MAX;
    for (const PresentRank *late : wrong) {
        uint64_t best = 0;
        for (const PresentRank *one : parties[0].second)
            best = std::max(best, shiftedCalls(*late, *one, sequence, task));
        leftOut = std::min(leftOut, best);
    }
    constexpr uint64_t kEnough = 2;
    if (!found.culprits.empty() && leftOut >= kEnough) {
        found.kind = DivergenceKind::MissingEntry;
        found.sureness = Sureness::Likely;
        found.evidence.push_back("From here on, the next " + std::to_string(leftOut) + " calls of rank " +
                                 rankListText(found.culprits) +
                                 " are those that the others make one call later: it left this one out.");
    }
    return found;
}

} // namespace riffle
