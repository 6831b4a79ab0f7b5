// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/categories/memory_categories.h"

#include "model/analysis/memory/categories/size_inference.h"
#include "model/analysis/memory/categories/stack_sets.h"
#include "model/analysis/memory/replaced_memory.h"
#include "model/base/big_vector.h"
#include "model/base/ids.h"
#include "model/base/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <unordered_map>

namespace riffle {

namespace {

/// Decides by their stacks whether an allocation and its free happened inside the same call. Each stack is examined
/// only once.
class SameCall {
public:
    SameCall(const MemorySnapshot &snapshot, const MemoryStacks &stacks)
        : m_stacks(snapshot.stacks)
        , m_depth(snapshot.stacks.count())
    {
        parallelRanges(m_depth.size(), 1024, [&](size_t first, size_t last) {
            for (size_t stack = first; stack < last; ++stack)
                m_depth[stack] = depthOf(m_stacks.at(static_cast<uint32_t>(stack)), stacks);
        });
    }

    bool operator()(uint32_t allocated, uint32_t freed) const
    {
        const uint32_t depth = m_depth[allocated];
        if (depth == kNever)
            return false;
        if (depth == kPythonOnly)
            return allocated == freed;
        // Both stacks must have the same frames from the outermost frame to the outermost operator.
        const auto a = m_stacks.at(allocated), b = m_stacks.at(freed);
        return b.size() >= depth && a[a.size() - depth] == b[b.size() - depth] &&
               std::equal(a.end() - depth, a.end(), b.end() - depth);
    }

private:
    static constexpr uint32_t kNever = 0, kPythonOnly = UINT32_MAX;

    /// The number of frames from the outermost frame to the outermost operator, both included.
    static uint32_t depthOf(std::span<const uint32_t> frames, const MemoryStacks &stacks)
    {
        bool pythonOnly = !frames.empty();
        for (size_t at = frames.size(); at > 0; --at) {
            if (stacks.isOperator(frames[at - 1]))
                return static_cast<uint32_t>(frames.size() - at + 1);
            pythonOnly &= stacks.isPython(frames[at - 1]);
        }
        return pythonOnly ? kPythonOnly : kNever;
    }

    const MemoryStackTable &m_stacks;
    std::vector<uint32_t> m_depth; ///< per stack
};

/// The properties of an allocation that the rules test.
struct Seen {
    uint32_t row = 0;
    uint32_t begin = kNoRow, freed = kNoRow; ///< its alloc event and the event that freed it
    uint32_t allocStack = 0, freeStack = 0;
    uint64_t allocSets = 0, freeSets = 0;
    int64_t size = 0;
};

/// The events of a device that rules refer to.
struct SetEvents {
    const StackSets &sets;
    std::vector<BigVector<uint32_t>> times;         ///< per set, its alloc events, ascending; empty if no lives_through
                                                    ///< rule uses the set
    std::vector<std::vector<uint32_t>> rangeStarts; ///< per set, the first events at or after the starts of its ranges,
                                                    ///< ascending; empty as above
    std::vector<uint32_t> outOfMemory;
    std::map<uint64_t, BigVector<uint8_t>> replaced; ///< per `replaced_in` value of a rule: replacedMemory()

    void find(const MemorySnapshot &snapshot, const DeviceReplay &device, const MemoryRules &rules)
    {
        uint64_t asked = 0;
        for (const MemoryRule &rule : rules.rules)
            asked |= rule.livesThrough;
        for (const MemoryRule &rule : rules.rules)
            if (rule.replacedIn && !replaced.contains(rule.replacedIn))
                replaced[rule.replacedIn] = replacedMemory(
                    snapshot, device, [&](uint32_t stack) { return (sets.ofStack(stack) & rule.replacedIn) != 0; });
        times.assign(MemoryRules::kMostSets, {});
        rangeStarts.assign(MemoryRules::kMostSets, {});
        auto start = sets.ranges().starts().begin();
        for (uint32_t event = device.firstEvent; event < device.firstEvent + device.events; ++event) {
            const int64_t time = snapshot.events.time.at(event, MemoryEventTable::kNoTime);
            for (; start != sets.ranges().starts().end() && start->time <= time; ++start)
                for (uint64_t left = start->sets & asked; left; left &= left - 1)
                    rangeStarts[static_cast<size_t>(std::countr_zero(left))].push_back(event);
            if (snapshot.events.action[event] == MemoryAction::OutOfMemory)
                outOfMemory.push_back(event);
            if (snapshot.events.action[event] == MemoryAction::Alloc)
                for (uint64_t left = sets.ofEvent(event) & asked; left; left &= left - 1)
                    times[static_cast<size_t>(std::countr_zero(left))].push_back(event);
        }
    }
};

/// Finds the rule for each allocation of a device.
class Judge {
public:
    Judge(const MemorySnapshot &snapshot, const DeviceReplay &device, const MemoryRules &rules, const SetEvents &events,
          const SameCall &sameCall)
        : m_snapshot(snapshot)
        , m_device(device)
        , m_rules(rules)
        , m_events(events)
        , m_sameCall(sameCall)
    {
    }

    /// The row of MemoryCategories::verdicts() for an allocation: the index of the first rule that applies. If none
    /// does, the number of rules; one more if the allocation is from before the history and has no stack.
    uint32_t operator()(uint32_t row) const
    {
        const Seen seen = look(row);
        const auto rule = std::find_if(m_rules.rules.begin(), m_rules.rules.end(),
                                       [&](const MemoryRule &one) { return holds(one, seen); });
        return static_cast<uint32_t>(rule - m_rules.rules.begin()) +
               (rule == m_rules.rules.end() && seen.begin == kNoRow && seen.allocStack == 0);
    }

private:
    Seen look(uint32_t row) const
    {
        const MemoryAllocations &all = m_device.allocations;
        Seen seen;
        seen.row = row;
        seen.size = all.size(m_snapshot, row);
        if (all.begin[row] != kNoRow && m_snapshot.events.action[all.begin[row]] == MemoryAction::Alloc) {
            seen.begin = all.begin[row];
            seen.allocStack = m_snapshot.events.stack[seen.begin];
            seen.allocSets = m_events.sets.ofEvent(seen.begin);
        } else if (all.block[row] != kNoRow) {
            seen.allocStack = m_snapshot.blocks[all.block[row]].stack;
            seen.allocSets = m_events.sets.ofStack(seen.allocStack);
        }
        seen.freed = all.freed[row] != kNoRow ? all.freed[row] : all.end[row];
        if (seen.freed != kNoRow) {
            seen.freeStack = m_snapshot.events.stack[seen.freed];
            seen.freeSets = m_events.sets.ofEvent(seen.freed);
        }
        return seen;
    }

    /// True if any of the events is between the allocation's start and its free. The events must be ascending.
    static bool isBetween(std::span<const uint32_t> events, const Seen &seen)
    {
        const auto next =
            seen.begin == kNoRow ? events.begin() : std::upper_bound(events.begin(), events.end(), seen.begin);
        return next != events.end() && *next < seen.freed; // kNoRow is larger than every event
    }

    /// True if a range starts in the allocation's life. `events` are the first ones in each range, ascending; the free
    /// may be the first event, because the range starts before it.
    static bool startsBefore(std::span<const uint32_t> events, const Seen &seen)
    {
        const auto next =
            seen.begin == kNoRow ? events.begin() : std::upper_bound(events.begin(), events.end(), seen.begin);
        return next != events.end() && *next <= seen.freed;
    }

    bool livesThrough(uint64_t sets, const Seen &seen) const
    {
        for (; sets; sets &= sets - 1) {
            const auto set = static_cast<size_t>(std::countr_zero(sets));
            if (isBetween(m_events.times[set], seen) || startsBefore(m_events.rangeStarts[set], seen))
                return true;
        }
        return false;
    }

    /// True if the next allocation on the device happened further down in the same call.
    bool isContinued(const Seen &seen) const
    {
        uint32_t next = seen.begin == kNoRow ? kNoRow : seen.begin + 1;
        const uint32_t end = m_device.firstEvent + m_device.events;
        while (next < end && m_snapshot.events.action[next] != MemoryAction::Alloc)
            ++next;
        if (next >= end)
            return false;
        const auto a = m_snapshot.stacks.at(seen.allocStack), b = m_snapshot.stacks.at(m_snapshot.events.stack[next]);
        const auto [ofA, ofB] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
        if (a.size() != b.size() || ofA == a.end() || !std::equal(ofA + 1, a.end(), ofB + 1))
            return false;
        const MemoryFrame &here = m_snapshot.frames[*ofA], &there = m_snapshot.frames[*ofB];
        return here.name == there.name && here.file == there.file && here.line < there.line;
    }

    bool holds(const MemoryRule &rule, const Seen &seen) const
    {
        if (rule.bySize()) // decided later, when the other categories are known
            return false;
        if ((rule.allocatedIn && !(rule.allocatedIn & seen.allocSets)) ||
            (rule.alsoAllocatedIn && !(rule.alsoAllocatedIn & seen.allocSets)) ||
            (rule.notAllocatedIn & seen.allocSets) || (rule.freedIn && !(rule.freedIn & seen.freeSets)) ||
            (rule.notFreedIn & seen.freeSets))
            return false;
        if ((rule.begun && *rule.begun != (seen.begin != kNoRow)) ||
            (rule.freed && *rule.freed != (seen.freed != kNoRow)) ||
            (rule.atLeastBytes && seen.size < *rule.atLeastBytes) ||
            (rule.atMostBytes && seen.size > *rule.atMostBytes))
            return false;
        if (rule.atMostEvents && (seen.begin == kNoRow || seen.freed == kNoRow ||
                                  static_cast<int64_t>(seen.freed) - seen.begin > *rule.atMostEvents))
            return false;
        if (rule.sameCall && *rule.sameCall != (seen.begin != kNoRow && seen.freed != kNoRow &&
                                                m_sameCall(seen.allocStack, seen.freeStack)))
            return false;
        if (rule.continued && *rule.continued != isContinued(seen))
            return false;
        if (rule.throughOom && *rule.throughOom != (seen.freed != kNoRow && isBetween(m_events.outOfMemory, seen)))
            return false;
        if (rule.replacedIn && !m_events.replaced.at(rule.replacedIn)[seen.row])
            return false;
        return !rule.livesThrough || livesThrough(rule.livesThrough, seen);
    }

    const MemorySnapshot &m_snapshot;
    const DeviceReplay &m_device;
    const MemoryRules &m_rules;
    const SetEvents &m_events;
    const SameCall &m_sameCall;
};

/// The category as it is shown: an inferred one says so.
std::string wordOf(const MemoryRule &rule) { return rule.inferred ? rule.category + " (inferred)" : rule.category; }

/// Finds the categories that the snapshot itself records, and adds a verdict for each.
class OwnWords {
public:
    OwnWords(const MemorySnapshot &snapshot, std::vector<MemoryCategories::Verdict> &verdicts)
        : m_snapshot(snapshot)
        , m_verdicts(verdicts)
    {
    }

    /// The verdict for an allocation with this alloc event; kNoRow if the snapshot records no category.
    uint32_t operator()(uint32_t begin)
    {
        if (begin == kNoRow)
            return kNoRow;
        const uint32_t category = m_snapshot.events.category.at(begin, 0);
        return category ? of(category, "category in the snapshot") : kNoRow;
    }

private:
    uint32_t of(uint32_t string, const char *rule)
    {
        const std::string_view text = m_snapshot.string(string);
        if (text.empty())
            return kNoRow;
        const auto [known, isNew] = m_known.try_emplace(string, static_cast<uint32_t>(m_verdicts.size()));
        if (isNew)
            m_verdicts.push_back({std::string(text), rule, false, true, false});
        return known->second;
    }

    const MemorySnapshot &m_snapshot;
    std::vector<MemoryCategories::Verdict> &m_verdicts;
    std::unordered_map<uint32_t, uint32_t> m_known;
};

} // namespace

MemoryCategories::MemoryCategories(const SnapshotFacts &facts, const MemoryRules &rules)
{
    const MemorySnapshot &snapshot = facts.snapshot();
    for (const MemoryRule &rule : rules.rules)
        m_verdicts.push_back({wordOf(rule), rule.name, false, false, rule.inferred});
    m_verdicts.push_back({"unknown", "no rule applies", true, false, false});
    m_verdicts.push_back({"unknown", "from before the history, without a stack", true, false, false});

    const StackSets sets(facts, rules);
    const SameCall sameCall(snapshot, facts.stacks());
    OwnWords ownWords(snapshot, m_verdicts);
    m_rows.resize(facts.replay().devices.size());
    for (uint32_t device = 0; device < m_rows.size(); ++device) {
        const DeviceReplay &replay = facts.replay().devices[device];
        m_rows[device].resize(replay.allocations.count());
        SetEvents events{sets, {}, {}, {}, {}};
        events.find(snapshot, replay, rules);
        parallelRanges(m_rows[device].size(), 1 << 18, [&](size_t first, size_t last) {
            const Judge judge(snapshot, replay, rules, events, sameCall);
            for (size_t row = first; row < last; ++row)
                m_rows[device][row] = judge(static_cast<uint32_t>(row));
        });
        if (!snapshot.events.category.empty())
            for (uint32_t row = 0; row < replay.allocations.count(); ++row)
                if (const uint32_t own = ownWords(replay.allocations.begin[row]); own != kNoRow)
                    m_rows[device][row] = own;
        inferFromSizes(snapshot, replay, rules, device);
    }
}

void MemoryCategories::inferFromSizes(const MemorySnapshot &snapshot, const DeviceReplay &replay,
                                      const MemoryRules &rules, uint32_t device)
{
    BigVector<uint32_t> &rows = m_rows[device];
    const auto noStack = static_cast<uint32_t>(rules.rules.size() + 1);
    std::vector<uint32_t> unexplained;
    for (uint32_t row = 0; row < rows.size(); ++row)
        if (rows[row] == noStack && replay.allocations.freed[row] == kNoRow && replay.allocations.end[row] == kNoRow)
            unexplained.push_back(row);
    const auto categoryOf = [&](uint32_t row) -> std::string_view { return m_verdicts[rows[row]].category; };
    for (const SizeMatch &match : matchSizes(snapshot, replay, rules, categoryOf, unexplained)) {
        const MemoryRule &rule = rules.rules[match.rule];
        for (const uint32_t row : match.rows)
            rows[row] = static_cast<uint32_t>(m_verdicts.size());
        // Rounded down to whole percent: 100 % says that all counterparts are there.
        m_verdicts.push_back({wordOf(rule),
                              fmt::format("{} (fits {} % of the {} bytes)", rule.name,
                                          static_cast<int>(match.covered * 100), rule.sizedLike),
                              false, false, true});
    }
}

} // namespace riffle
