// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/hang_compare.h"

#include "model/base/format.h"

#include <algorithm>
#include <map>
#include <set>

namespace riffle {

namespace {

using Calls = std::vector<FlightCall>;
using Part = HangMember::Part;

/// The properties that all ranks of a collective must have alike. Sizes that may differ, or that are not recorded, are
/// -1.
struct Signature {
    std::string kinds, dtypes;
    std::vector<int64_t> sizes;

    auto operator<=>(const Signature &) const = default;
    bool fits(const Signature &other) const
    {
        const auto alike = [](int64_t left, int64_t right) { return left == right || left < 0 || right < 0; };
        return kinds == other.kinds && (dtypes == other.dtypes || dtypes.empty() || other.dtypes.empty()) &&
               sizes.size() == other.sizes.size() && std::equal(sizes.begin(), sizes.end(), other.sizes.begin(), alike);
    }
};

Signature signatureOf(const FlightDump &dump, const Calls &calls)
{
    Signature own;
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

/// One rank of the group while it is compared.
struct Present {
    const JobGroup::Member *member;
    const FlightRank *dump;        ///< null without a dump
    const FlightGroupCalls *calls; ///< null if the dump has none of this group

    const Calls *at(int64_t sequence) const
    {
        if (!calls)
            return nullptr;
        const auto found = calls->collectives.find(sequence);
        return found == calls->collectives.end() ? nullptr : &found->second;
    }
};

/// True if the dump shows that the rank did not make this call. `firstWait` is when others made it.
bool isAbsent(const Present &one, int64_t sequence, Ns firstWait)
{
    if (!one.dump || one.at(sequence))
        return false;
    const FlightDump &dump = *one.dump->dump;
    if (!one.calls || (one.calls->collectives.empty() && !one.calls->last)) {
        // Nothing of the group is in the ring: either the rank never came, or the ring has lost it. The latter needs
        // more calls since then than the ring has room for.
        return one.dump->isWhole || (!dump.entries.empty() && dump.entries.front().created != FlightEntry::kNone &&
                                     dump.entries.front().created < firstWait);
    }
    if (one.calls->last && *one.calls->last < sequence)
        return true;
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
bool endedAlone(std::span<const Present> all, int64_t sequence)
{
    for (const Present &one : all) {
        const Calls *calls = one.at(sequence);
        if (!calls)
            continue;
        const std::string &kind = calls->front().kind;
        if (one.dump->dump->tracksState() || one.calls->collectives.rbegin()->first > sequence ||
            sizeRuleOf(kind) == SizeRule::None || kind.find("broadcast") != kind.npos ||
            (kind.starts_with("reduce") && kind.find("scatter") == kind.npos))
            return false;
    }
    return true;
}

/// The elements that all ranks of the group send and expect in an all-to-all; nothing if that is not known.
std::optional<std::pair<int64_t, int64_t>> exchanged(std::span<const Present> all, int64_t sequence)
{
    int64_t sent = 0, wanted = 0;
    for (const Present &one : all) {
        const Calls *calls = one.at(sequence);
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

/// How often calls with `next` follow calls with `before` in the calls before `sequence` of all ranks.
uint64_t timesAfter(std::span<const Present> all, int64_t sequence, const Signature &before, const Signature &next)
{
    uint64_t times = 0;
    for (const Present &one : all) {
        if (!one.calls)
            continue;
        std::optional<Signature> last;
        for (const auto &[number, calls] : one.calls->collectives) {
            if (number >= sequence)
                break;
            Signature own = signatureOf(*one.dump->dump, calls);
            times += last && last->fits(before) && own.fits(next);
            last = std::move(own);
        }
    }
    return times;
}

/// For how many calls in a row the calls of `late` from `sequence` on are those that `reference` has one later.
uint64_t shiftedCalls(const Present &late, const Present &reference, int64_t sequence)
{
    uint64_t alike = 0;
    for (int64_t at = sequence;; ++at) {
        const Calls *left = late.at(at), *right = reference.at(at + 1);
        if (!left || !right)
            return alike;
        if (!signatureOf(*late.dump->dump, *left).fits(signatureOf(*reference.dump->dump, *right)))
            return 0;
        ++alike;
    }
}

/// Decides which of the ranks whose calls differ are wrong, and what kind of divergence that is.
Divergence differing(const JobGroup &group, std::span<const Present> all, int64_t sequence)
{
    std::vector<std::pair<Signature, std::vector<const Present *>>> parties;
    for (const Present &one : all)
        if (const Calls *calls = one.at(sequence)) {
            const Signature own = signatureOf(*one.dump->dump, *calls);
            auto party = std::ranges::find_if(parties, [&](const auto &other) { return other.first.fits(own); });
            if (party == parties.end())
                party = parties.insert(party, {own, {}});
            party->second.push_back(&one);
        }
    std::ranges::stable_sort(parties, std::greater(), [](const auto &party) { return party.second.size(); });
    const bool isOtherKind = std::ranges::any_of(
        parties, [&](const auto &party) { return party.first.kinds != parties.front().first.kinds; });
    Divergence found =
        divergenceOf(group, isOtherKind ? DivergenceKind::OtherCollective : DivergenceKind::OtherSize, sequence);
    bool isTold = parties[0].second.size() > parties[1].second.size();
    if (!isTold) {
        // Equally many ranks made one call and another. The call that used to follow the one before is the right one.
        std::optional<Signature> before;
        for (const Present &one : all)
            if (const Calls *calls = one.at(sequence - 1); calls && !before)
                before = signatureOf(*one.dump->dump, *calls);
        if (before) {
            std::vector<uint64_t> times;
            for (const auto &party : parties)
                times.push_back(timesAfter(all, sequence, *before, party.first));
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
    const Present &right = *parties[0].second.front();
    found.operation = callText(*right.dump->dump, right.at(sequence)->front().entry);
    if (isTold)
        for (size_t at = 1; at < parties.size(); ++at)
            for (const Present *one : parties[at].second)
                found.culprits.push_back(one->member->rank);
    else
        found.evidence.push_back("The dumps do not tell which of the calls is the wrong one.");
    std::ranges::sort(found.culprits);
    found.sureness = group.isKnown ? Sureness::Sure : Sureness::Likely;
    // A rank that left out a call makes the next one in its place, and goes on one call early.
    uint64_t leftOut = UINT64_MAX;
    for (const int64_t rank : found.culprits) {
        const auto late = std::ranges::find_if(all, [&](const Present &one) { return one.member->rank == rank; });
        uint64_t best = 0;
        for (const Present *one : parties[0].second)
            best = std::max(best, shiftedCalls(*late, *one, sequence));
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

} // namespace

Divergence divergenceOf(const JobGroup &group, DivergenceKind kind, int64_t sequence)
{
    Divergence found;
    found.kind = kind;
    found.groupName = group.name;
    found.groupDescription = group.description;
    found.groupRanks = group.ranks;
    found.isGroupKnown = group.isKnown;
    found.sequence = sequence;
    if (!group.isKnown)
        found.evidence.push_back("The dumps do not say which ranks group \"" + group.name +
                                 "\" has; those whose dumps have calls in it were compared.");
    if (group.isByOrder)
        found.evidence.push_back("Several groups have these ranks and other names on each rank; they were paired in "
                                 "the order in which they were made.");
    return found;
}

HangMember hangMember(const JobGroup::Member &member, Part part, std::span<const FlightRank> dumps,
                      const FlightCall *call)
{
    HangMember own;
    own.rank = member.rank;
    own.part = part;
    own.dump = member.dump;
    if (call) {
        own.entry = call->entry;
        own.isStarted = call->isStarted;
    }
    if (member.dump >= 0) {
        const auto &entries = dumps[static_cast<size_t>(member.dump)].dump->entries;
        if (!entries.empty())
            own.last = static_cast<uint32_t>(entries.size() - 1);
    }
    return own;
}

void addTimes(Divergence &divergence, std::span<const FlightRank> dumps)
{
    Ns first = INT64_MAX, last = INT64_MIN;
    int64_t firstRank = -1, lastRank = -1;
    for (const HangMember &member : divergence.members) {
        if (!member.entry)
            continue;
        const Ns created = dumps[static_cast<size_t>(member.dump)].entry(*member.entry).created;
        if (created == FlightEntry::kNone)
            continue;
        if (created < first) {
            first = created;
            firstRank = member.rank;
        }
        if (created > last) {
            last = created;
            lastRank = member.rank;
        }
    }
    if (firstRank >= 0 && lastRank >= 0 && firstRank != lastRank)
        divergence.evidence.push_back("Rank " + std::to_string(firstRank) + " made its call first and rank " +
                                      std::to_string(lastRank) + " last, " + formatDuration(last - first) +
                                      " later by the clocks of their hosts.");
}

std::optional<Divergence> collectiveDivergence(const JobGroup &group, std::span<const FlightRank> dumps,
                                               uint64_t &compared)
{
    std::vector<Present> all;
    std::set<int64_t> sequences;
    for (const JobGroup::Member &member : group.members) {
        const FlightRank *dump = member.dump < 0 ? nullptr : &dumps[static_cast<size_t>(member.dump)];
        const FlightGroupCalls *calls =
            dump && member.group >= 0 ? &dump->groups[static_cast<size_t>(member.group)] : nullptr;
        all.push_back({&member, dump, calls});
        if (calls)
            for (const auto &[sequence, list] : calls->collectives)
                sequences.insert(sequence);
    }
    for (const int64_t sequence : sequences) {
        Ns firstWait = INT64_MAX;
        size_t has = 0, waiting = 0, finished = 0;
        bool isAnyTimedOut = false, isAlike = true;
        std::vector<Signature> signatures;
        for (const Present &one : all)
            if (const Calls *calls = one.at(sequence)) {
                ++has;
                const FlightEntry &entry = one.dump->entry(calls->front().entry);
                const bool isDone = isFinished(*calls);
                finished += isDone;
                waiting += !isDone;
                isAnyTimedOut = isAnyTimedOut || isTimedOut(*calls);
                if (entry.created != FlightEntry::kNone && !isDone)
                    firstWait = std::min(firstWait, entry.created);
                // The oldest launch of a ring may lack operations.
                if (one.calls->knownFrom <= sequence) {
                    signatures.push_back(signatureOf(*one.dump->dump, *calls));
                    isAlike = isAlike && signatures.front().fits(signatures.back());
                }
            }
        compared += has > 1;
        std::vector<const Present *> absent;
        size_t noDump = 0, unknown = 0;
        for (const Present &one : all) {
            noDump += !one.dump;
            if (one.dump && !one.at(sequence))
                isAbsent(one, sequence, firstWait) ? absent.push_back(&one) : void(++unknown);
        }
        std::optional<Divergence> found;
        if (!isAlike) {
            found = differing(group, all, sequence);
        } else if (const auto sums = exchanged(all, sequence); group.isKnown && sums && sums->first != sums->second) {
            found = divergenceOf(group, DivergenceKind::OtherSize, sequence);
            found->sureness = Sureness::Sure;
            found->evidence.push_back("All ranks together send " + formatCount(sums->first) + " elements and expect " +
                                      formatCount(sums->second) + "; the dumps do not tell who is wrong.");
        } else if (waiting == 0 && !(absent.size() > 0 && endedAlone(all, sequence))) {
            continue; // who lacks it has an older dump, or will come
        } else if (!absent.empty()) {
            found = divergenceOf(group, DivergenceKind::MissingEntry, sequence);
            for (const Present *one : absent)
                found->culprits.push_back(one->member->rank);
            found->sureness = isAnyTimedOut && group.isKnown ? Sureness::Sure : Sureness::Likely;
            if (waiting == 0)
                found->evidence.push_back("This backend marks calls that failed like calls that ended, and this one "
                                          "cannot end without all ranks: it failed, or a dump is older.");
            for (const Present *one : absent)
                if (one->dump->isWhole == false && (!one->calls || one->calls->collectives.empty())) {
                    found->sureness = Sureness::Likely;
                    found->evidence.push_back("The ring of rank " + std::to_string(one->member->rank) +
                                              " has lost its oldest calls and has none of this group, but goes back "
                                              "to before the others began to wait.");
                }
        } else {
            found = divergenceOf(group, DivergenceKind::StuckInside, sequence);
            Ns first = INT64_MAX;
            int64_t timeout = FlightEntry::kNone;
            bool isAnyStarted = false;
            for (const Present &one : all)
                if (const Calls *calls = one.at(sequence)) {
                    const FlightEntry &entry = one.dump->entry(calls->front().entry);
                    if (entry.created != FlightEntry::kNone && entry.created < first) {
                        first = entry.created;
                        timeout = entry.timeoutMs;
                    }
                    isAnyStarted = isAnyStarted || calls->front().isStarted;
                }
            constexpr int64_t kNsPerMs = 1'000'000;
            for (const Present &one : all)
                if (const Calls *calls = one.at(sequence); calls && timeout > 0 && timeout < INT64_MAX / kNsPerMs) {
                    const Ns created = one.dump->entry(calls->front().entry).created;
                    if (created != FlightEntry::kNone && created - first > timeout * kNsPerMs)
                        found->culprits.push_back(one.member->rank);
                }
            if (!found->culprits.empty()) {
                found->kind = DivergenceKind::LateEntry;
                found->evidence.push_back("The time of the first rank (" + formatDuration(timeout * kNsPerMs) +
                                          ") had run out before rank " + rankListText(found->culprits) + " came.");
            } else {
                found->sureness =
                    isAnyTimedOut && unknown + noDump == 0 && group.isKnown ? Sureness::Sure : Sureness::Likely;
                for (const Present &one : all)
                    if (const Calls *calls = one.at(sequence);
                        calls && !isFinished(*calls) && (finished > 0 || (isAnyStarted && !calls->front().isStarted)))
                        found->culprits.push_back(one.member->rank);
                if (finished > 0)
                    found->evidence.push_back("On " + std::to_string(finished) + " of " + std::to_string(has) +
                                              " ranks it ended.");
                else if (!found->culprits.empty())
                    found->evidence.push_back("On other ranks the device began with it, but on rank " +
                                              rankListText(found->culprits) +
                                              " it did not: something before it holds up that stream.");
                else if (noDump > 0) {
                    found->kind = DivergenceKind::NoDump;
                    for (const Present &one : all)
                        if (!one.dump)
                            found->culprits.push_back(one.member->rank);
                    found->evidence.push_back("All ranks with a dump made this call and wait; whether the others did, "
                                              "their dumps would say.");
                }
            }
        }
        for (const Present &one : all) {
            const Calls *calls = one.at(sequence);
            const Part part = !one.dump ? Part::NoDump
                              : calls   ? (isFinished(*calls) ? Part::Finished : Part::Waits)
                              : std::ranges::find(absent, &one) != absent.end() ? Part::NeverCame
                                                                                : Part::Unknown;
            const FlightCall *shown = nullptr; // of a launch, the first operation that did not end
            if (calls) {
                const auto open = std::ranges::find(*calls, false, &FlightCall::isFinished);
                shown = open == calls->end() ? &calls->front() : &*open;
                if (found->operation.empty())
                    found->operation = callText(*one.dump->dump, calls->front().entry);
            }
            found->members.push_back(hangMember(*one.member, part, dumps, shown));
        }
        addTimes(*found, dumps);
        if (isAnyTimedOut)
            found->evidence.push_back("The time of a waiting call ran out, so this is no work in flight.");
        else if (waiting == 0 && found->kind == DivergenceKind::MissingEntry)
            ; // said already
        else if (found->kind == DivergenceKind::MissingEntry || found->kind == DivergenceKind::StuckInside ||
                 found->kind == DivergenceKind::NoDump)
            found->evidence.push_back("No call is marked as timed out: dumps of a job that still runs look alike.");
        if (noDump > 0 && found->kind != DivergenceKind::NoDump)
            found->evidence.push_back(std::to_string(noDump) + " of the group's ranks left no dump.");
        return found;
    }
    return std::nullopt;
}

} // namespace riffle
