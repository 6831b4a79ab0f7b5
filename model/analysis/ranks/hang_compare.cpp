// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/hang_compare.h"

#include "model/analysis/ranks/hang_differing.h"
#include "model/base/format.h"

#include <algorithm>
#include <set>

namespace riffle {

namespace {

using Calls = std::vector<FlightCall>;
using Part = HangMember::Part;

/// True if the dump shows that the rank did not make this call. `firstWait` is when others made it.
bool isAbsent(const PresentRank &one, int64_t sequence, Ns firstWait)
{
    if (one.at(sequence))
        return false;
    const FlightDump &dump = *one.dump->dump;
    if (!one.calls || (one.calls->collectives.empty() && !one.calls->last)) {
        if (!one.dump->isEndKnown || (one.calls && !one.calls->isEndKnown))
            return false; // it may be what cannot be read
        // Nothing of the group is in the ring: either the rank never came, or the ring has lost it. The latter needs
        // more calls since then than the ring has room for.
        return one.dump->isWhole || (!dump.entries.empty() && dump.entries.front().created != FlightEntry::kNone &&
                                     dump.entries.front().created < firstWait);
    }
    if (one.calls->last && *one.calls->last < sequence)
        return one.calls->isEndKnown;
    if (sequence < one.calls->knownFrom)
        return false;
    // There are calls before and after. A dump of active calls alone has such holes, too, but then the numbers of its
    // records have one there as well.
    const auto after = one.calls->collectives.upper_bound(sequence);
    if (after == one.calls->collectives.begin() || after == one.calls->collectives.end())
        return false;
    const uint32_t from = std::prev(after)->second.back().entry, to = after->second.front().entry;
    return dump.entries[from].record != FlightEntry::kNone && dump.entries[to].record != FlightEntry::kNone &&
           dump.entries[to].record - dump.entries[from].record == static_cast<int64_t>(to) - static_cast<int64_t>(from);
}

bool isFinished(const Calls &calls)
{
    return std::ranges::all_of(calls, [](const FlightCall &call) { return call.isFinished; });
}

bool isTimedOut(const Calls &calls)
{
    return std::ranges::any_of(calls, [](const FlightCall &call) { return call.isTimedOut; });
}

/// True if ranks are done with a call that cannot end without the others, and it is the last one of them in this group.
/// Backends that do not track states (gloo) are done with a call that failed, too.
bool endedAlone(std::span<const PresentRank> all, int64_t sequence)
{
    for (const PresentRank &one : all) {
        const Calls *calls = one.at(sequence);
        if (!calls)
            continue;
        const std::string &kind = calls->front().kind;
        if (one.dump->tracksState || one.calls->collectives.rbegin()->first > sequence ||
            sizeRuleOf(kind) == SizeRule::None || kind.find("broadcast") != kind.npos ||
            (kind.starts_with("reduce") && kind.find("scatter") == kind.npos))
            return false;
    }
    return true;
}

/// The ranks of a group at one sequence, counted.
struct Tally {
    Ns firstWait = INT64_MAX; ///< when the first rank that waits made its call
    size_t has = 0, waiting = 0, finished = 0, noDump = 0;
    std::vector<int64_t> unknown; ///< ranks whose dumps do not tell whether they made the call
    bool isAnyTimedOut = false;
    bool isAlike = true; ///< the calls agree
    std::vector<const PresentRank *> absent;
};

Tally tallyOf(const JobGroup &group, std::span<const PresentRank> all, int64_t sequence)
{
    Tally tally;
    tally.noDump = group.withoutDump.size();
    std::optional<CallSignature> known;
    for (const PresentRank &one : all) {
        const Calls *calls = one.at(sequence);
        if (!calls)
            continue;
        ++tally.has;
        const Ns created = one.dump->entry(calls->front().entry).created;
        const bool isDone = isFinished(*calls);
        tally.finished += isDone;
        tally.waiting += !isDone;
        tally.isAnyTimedOut = tally.isAnyTimedOut || isTimedOut(*calls);
        if (created != FlightEntry::kNone && !isDone)
            tally.firstWait = std::min(tally.firstWait, created);
        if (!one.comparedAt(sequence))
            continue;
        CallSignature own = callSignatureOf(*one.dump->dump, *calls);
        if (!known)
            known = std::move(own);
        else if (known->fits(own))
            known->fillFrom(own);
        else
            tally.isAlike = false;
    }
    for (const PresentRank &one : all)
        if (!one.at(sequence))
            isAbsent(one, sequence, tally.firstWait) ? tally.absent.push_back(&one)
                                                     : tally.unknown.push_back(one.member->rank);
    return tally;
}

/// Some ranks never made the call.
Divergence missingEntry(const JobGroup &group, const Tally &tally, int64_t sequence)
{
    Divergence found = divergenceOf(group, DivergenceKind::MissingEntry, sequence);
    found.sureness = tally.isAnyTimedOut && group.isKnown ? Sureness::Sure : Sureness::Likely;
    if (tally.waiting == 0)
        found.evidence.push_back("This backend marks calls that failed like calls that ended, and this one cannot end "
                                 "without all ranks: it failed, or a dump is older.");
    std::vector<int64_t> culprits;
    for (const PresentRank *one : tally.absent) {
        culprits.push_back(one->member->rank);
        if (one->dump->isWhole || (one->calls && !one->calls->collectives.empty()))
            continue;
        found.sureness = Sureness::Likely;
        found.evidence.push_back("The ring of rank " + std::to_string(one->member->rank) +
                                 " has lost its oldest calls and has none of this group, but goes back to before the "
                                 "others began to wait.");
    }
    found.culprits = RankList(culprits);
    return found;
}

/// The ranks that came after the time of the first one had run out, and that time.
std::pair<std::vector<int64_t>, Ns> lateRanks(std::span<const PresentRank> all, int64_t sequence)
{
    constexpr int64_t kNsPerMs = 1'000'000;
    Ns first = INT64_MAX;
    int64_t timeout = FlightEntry::kNone;
    std::vector<std::pair<int64_t, Ns>> arrivals;
    for (const PresentRank &one : all)
        if (const Calls *calls = one.at(sequence)) {
            const FlightEntry &entry = one.dump->entry(calls->front().entry);
            if (entry.created == FlightEntry::kNone)
                continue;
            arrivals.emplace_back(one.member->rank, entry.created);
            timeout = entry.created < first ? entry.timeoutMs : timeout;
            first = std::min(first, entry.created);
        }
    std::vector<int64_t> late;
    if (timeout <= 0 || timeout >= INT64_MAX / kNsPerMs)
        return {late, 0};
    for (const auto &[rank, created] : arrivals)
        if (created - first > timeout * kNsPerMs)
            late.push_back(rank);
    return {late, timeout * kNsPerMs};
}

/// All ranks with a dump are in the call, and it does not end on all of them.
Divergence insideAll(const JobGroup &group, std::span<const PresentRank> all, const Tally &tally, int64_t sequence)
{
    Divergence found = divergenceOf(group, DivergenceKind::StuckInside, sequence);
    auto [late, timeout] = lateRanks(all, sequence);
    if (!late.empty()) {
        found.kind = DivergenceKind::LateEntry;
        found.evidence.push_back("The time of the first rank (" + formatDuration(timeout) +
                                 ") had run out before rank " + rankListText(late) + " came.");
        found.culprits = RankList(late);
        return found;
    }
    if (tally.isAnyTimedOut && tally.unknown.empty() && tally.noDump == 0 && group.isKnown)
        found.sureness = Sureness::Sure;
    const bool isAnyStarted = std::ranges::any_of(all, [&](const PresentRank &one) {
        const Calls *calls = one.at(sequence);
        return calls && calls->front().isStarted;
    });
    std::vector<int64_t> culprits;
    for (const PresentRank &one : all)
        if (const Calls *calls = one.at(sequence);
            calls && !isFinished(*calls) && (tally.finished > 0 || (isAnyStarted && !calls->front().isStarted)))
            culprits.push_back(one.member->rank);
    found.culprits = RankList(culprits);
    if (tally.finished > 0) {
        found.evidence.push_back("On " + std::to_string(tally.finished) + " of " + std::to_string(tally.has) +
                                 " ranks it ended.");
    } else if (!found.culprits.empty()) {
        found.evidence.push_back("On other ranks the device began with it, but on rank " +
                                 rankListText(found.culprits) +
                                 " it did not: something before it holds up that stream.");
    } else if (tally.noDump > 0 && tally.unknown.empty()) {
        found.kind = DivergenceKind::NoDump;
        found.culprits = group.withoutDump;
        found.evidence.push_back("All ranks with a dump made this call and wait; whether the others did, their dumps "
                                 "would say.");
    }
    return found;
}

void addMembers(Divergence &found, std::span<const PresentRank> all, const Tally &tally, int64_t sequence,
                std::span<const FlightRank> dumps)
{
    for (const PresentRank &one : all) {
        const Calls *calls = one.at(sequence);
        const bool isAway = std::ranges::binary_search(tally.absent, &one);
        const Part part = calls    ? (isFinished(*calls) ? Part::Finished : Part::Waits)
                          : isAway ? Part::NeverCame
                                   : Part::Unknown;
        const FlightCall *shown = nullptr; // of a launch, the first operation that did not end
        if (calls) {
            const auto open = std::ranges::find(*calls, false, &FlightCall::isFinished);
            shown = open == calls->end() ? &calls->front() : &*open;
            if (found.operation.empty())
                found.operation = callText(*one.dump->dump, calls->front().entry);
        }
        found.members.push_back(hangMember(*one.member, part, dumps, shown));
    }
}

/// Says what limits the answer.
void addCaution(Divergence &found, const Tally &tally)
{
    if (tally.isAnyTimedOut)
        found.evidence.push_back("The time of a waiting call ran out, so this is no work in flight.");
    else if (tally.waiting > 0 && (found.kind == DivergenceKind::MissingEntry ||
                                   found.kind == DivergenceKind::StuckInside || found.kind == DivergenceKind::NoDump))
        found.evidence.push_back("No call is marked as timed out: dumps of a job that still runs look alike.");
    if (!tally.unknown.empty() && found.kind != DivergenceKind::OtherCollective &&
        found.kind != DivergenceKind::OtherSize)
        found.evidence.push_back("Whether rank " + rankListText(tally.unknown) +
                                 " made this call is not known: that part of its calls is not in its dump.");
    if (tally.noDump > 0 && found.kind != DivergenceKind::NoDump)
        found.evidence.push_back("No dump of " + std::to_string(tally.noDump) + " of the group's ranks was read.");
}

/// The divergence at one sequence; nothing if the ranks agree and nobody waits.
std::optional<Divergence> divergenceAt(const JobGroup &group, std::span<const PresentRank> all, const Tally &tally,
                                       int64_t sequence, const Task &task)
{
    if (!tally.isAlike)
        return differing(group, all, sequence, task);
    if (const auto sums = exchanged(all, sequence); group.isKnown && sums && sums->first != sums->second) {
        Divergence found = divergenceOf(group, DivergenceKind::OtherSize, sequence);
        found.sureness = Sureness::Sure;
        found.evidence.push_back("All ranks together send " + formatCount(sums->first) + " elements and expect " +
                                 formatCount(sums->second) + "; the dumps do not tell who is wrong.");
        return found;
    }
    if (tally.waiting == 0 && (tally.absent.empty() || !endedAlone(all, sequence)))
        return std::nullopt; // who lacks it has an older dump, or will come
    return tally.absent.empty() ? insideAll(group, all, tally, sequence) : missingEntry(group, tally, sequence);
}

} // namespace

std::optional<Divergence> collectiveDivergence(const JobGroup &group, std::span<const FlightRank> dumps,
                                               HangCounts &counts, const Task &task)
{
    std::vector<PresentRank> all;
    std::set<int64_t> sequences;
    for (const JobGroup::Member &member : group.members) {
        const FlightRank *dump = &dumps[static_cast<size_t>(member.dump)];
        const FlightGroupCalls *calls = member.group >= 0 ? &dump->groups[static_cast<size_t>(member.group)] : nullptr;
        all.push_back({&member, dump, calls});
        if (calls)
            for (const auto &[sequence, list] : calls->collectives)
                sequences.insert(sequence);
    }
    for (const int64_t sequence : sequences) {
        if (task.stopped())
            break;
        const Tally tally = tallyOf(group, all, sequence);
        counts.compared += tally.has > 1;
        if (auto found = divergenceAt(group, all, tally, sequence, task)) {
            addMembers(*found, all, tally, sequence, dumps);
            addTimes(*found, dumps);
            addCaution(*found, tally);
            addDoubts(*found, group, dumps);
            found->withoutDump = group.withoutDump;
            return found;
        }
    }
    return std::nullopt;
}

} // namespace riffle
