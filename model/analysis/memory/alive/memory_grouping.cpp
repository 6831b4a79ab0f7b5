// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/memory_grouping.h"

#include "model/analysis/memory/alive/group_keys.h"
#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/memory/events/event_place.h"
#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_builder.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace riffle {

namespace {

using Label = MemoryTreeBuilder::Label;

constexpr std::array<std::string_view, kMemoryGroupings> kWords{"stack", "module", "operator", "category", "stream",
                                                                "pool",  "size",   "device",   "metadata", "place"};
constexpr uint32_t kNoStack = UINT32_MAX - 1, kFoldedOnly = UINT32_MAX - 2, kOutside = UINT32_MAX - 3;
constexpr uint32_t kGivenBack = UINT32_MAX - 8; // plus AllocationStack::of

/// Assigns numbers to texts, from 0.
class TextLabels {
public:
    uint32_t of(std::string text)
    {
        const auto [known, isNew] = m_known.try_emplace(std::move(text), static_cast<uint32_t>(m_texts.size()));
        if (isNew)
            m_texts.push_back(known->first);
        return known->second;
    }
    const std::string &text(uint32_t label) const { return m_texts[label]; }

private:
    std::unordered_map<std::string, uint32_t> m_known;
    std::vector<std::string> m_texts;
};

struct GroupSum {
    uint64_t bytes = 0, pending = 0, count = 0; ///< they wrap if sizes are impossible
};

/// The sums per key, and the key of each row.
struct Collected {
    std::vector<GroupSum> sums;
    std::vector<uint32_t> keys;

    template <typename Key>
    void take(const SnapshotFacts &facts, std::span<const MemoryInstant> instants, size_t keyCount, Key key)
    {
        sums.resize(keyCount);
        for (const MemoryInstant &instant : instants) {
            const AliveIndex &alive = facts.alive(instant.device);
            const MemoryAllocations &all = alive.device().allocations;
            keys.reserve(keys.size() + instant.rows.size());
            for (const uint32_t row : instant.rows) {
                const auto size = static_cast<uint64_t>(all.size(facts.snapshot(), row));
                const uint32_t of = key(instant.device, row);
                keys.push_back(of);
                GroupSum &sum = sums[of];
                sum.bytes += size;
                sum.pending += alive.isPending(row, instant.event) ? size : 0;
                ++sum.count;
            }
        }
    }
};

/// Builds the tree. path(key, labels) appends the labels of a key from the top down, at least one.
template <typename Path>
MemoryTree treeOf(const Collected &collected, Path path, const std::function<Label(uint32_t)> &text)
{
    MemoryTreeBuilder build;
    std::vector<uint32_t> nodes(collected.sums.size(), MemoryTree::kNone), labels;
    for (uint32_t key = 0; key < nodes.size(); ++key) {
        const GroupSum &sum = collected.sums[key];
        if (sum.count == 0)
            continue;
        labels.clear();
        path(key, labels);
        uint32_t node = MemoryTree::kNone;
        for (const uint32_t label : labels)
            node = build.node(node, label);
        nodes[key] = node;
        build.add(node, static_cast<int64_t>(sum.bytes), static_cast<int64_t>(sum.pending),
                  static_cast<int64_t>(sum.count));
    }
    std::vector<uint32_t> place;
    MemoryTree tree = build.finish(text, place);
    tree.leaves.reserve(collected.keys.size());
    for (const uint32_t key : collected.keys)
        tree.leaves.push_back(place[nodes[key]]);
    return tree;
}

AllocationStack stackOf(const SnapshotFacts &facts, uint32_t device, uint32_t row)
{
    return allocationStack(facts.snapshot(), facts.replay().devices[device].allocations, row);
}

/// If the stack is not that of an allocation, adds the label of a top node that says so.
void putTitle(const AllocationStack &stack, std::vector<uint32_t> &labels)
{
    if (!stack.isOfAllocation())
        labels.push_back(kGivenBack + static_cast<uint32_t>(stack.of));
}

/// The text of a label that is not a frame.
Label wordsOf(uint32_t label)
{
    const char *words = label == kNoStack ? "(no stack recorded)" : "(runtime frames only)";
    return {label < kFoldedOnly
                ? std::string(AllocationStack{0, static_cast<AllocationStack::Of>(label - kGivenBack)}.title())
                : words,
            {},
            true};
}

MemoryTree byStack(const SnapshotFacts &facts, const Collected &collected)
{
    const MemoryStacks &stacks = facts.stacks();
    const auto frames = static_cast<uint32_t>(facts.snapshot().frames.size());
    std::vector<MemoryStacks::Step> steps;
    const auto path = [&](uint32_t key, std::vector<uint32_t> &labels) {
        const AllocationStack stack = AllocationStack::ofKey(facts.snapshot(), key);
        putTitle(stack, labels);
        stacks.read(stack.stack, steps);
        for (const MemoryStacks::Step &step : steps)
            labels.push_back(step.repeats ? frames + step.repeats : step.frame);
        if (labels.empty())
            labels.push_back(stack.stack == 0 ? kNoStack : kFoldedOnly);
    };
    return treeOf(collected, path, [&](uint32_t label) {
        if (label >= kGivenBack)
            return wordsOf(label);
        const MemoryStacks::Step step =
            label < frames ? MemoryStacks::Step{label, 0} : MemoryStacks::Step{0, label - frames};
        return Label{stacks.text(step, true), stacks.text(step, false)};
    });
}

/// Groups by the names of a chain of frames: the modules or the operators of a stack.
template <typename Chain, typename Text>
MemoryTree byChain(const SnapshotFacts &facts, const Collected &collected, const char *outside, Chain chain, Text text)
{
    TextLabels texts;
    std::vector<uint32_t> ofFrame(facts.snapshot().frames.size(), UINT32_MAX), frames;
    const auto path = [&](uint32_t key, std::vector<uint32_t> &labels) {
        const AllocationStack stack = AllocationStack::ofKey(facts.snapshot(), key);
        putTitle(stack, labels);
        chain(stack.stack, frames);
        for (const uint32_t frame : frames) {
            if (ofFrame[frame] == UINT32_MAX)
                ofFrame[frame] = texts.of(text(frame));
            labels.push_back(ofFrame[frame]);
        }
        if (labels.empty())
            labels.push_back(stack.stack == 0 ? kNoStack : kOutside);
    };
    return treeOf(collected, path, [&](uint32_t label) {
        return label == kOutside     ? Label{outside, {}, true}
               : label >= kGivenBack ? wordsOf(label)
                                     : Label{texts.text(label), {}};
    });
}

MemoryTree byPlace(const SnapshotFacts &facts, const Collected &collected)
{
    const MemoryStacks &stacks = facts.stacks();
    TextLabels texts;
    std::unordered_map<uint32_t, std::string> shortOf;
    const auto add = [&](uint32_t frame, std::vector<uint32_t> &labels) {
        labels.push_back(texts.of(stacks.text(frame, true)));
        shortOf.try_emplace(labels.back(), stacks.text(frame, false));
    };
    const auto path = [&](uint32_t key, std::vector<uint32_t> &labels) {
        const AllocationStack stack = AllocationStack::ofKey(facts.snapshot(), key);
        putTitle(stack, labels);
        const auto place = eventPlace(stacks, stack.stack);
        if (!place)
            return labels.push_back(stack.stack == 0 ? kNoStack : kFoldedOnly);
        add(*place, labels);
        if (const auto caller = callerOfPlace(stacks, stack.stack, *place))
            add(*caller, labels);
    };
    return treeOf(collected, path, [&](uint32_t label) {
        return label >= kGivenBack ? wordsOf(label) : Label{texts.text(label), shortOf.at(label)};
    });
}

MemoryTree byModule(const SnapshotFacts &facts, std::span<const MemoryInstant> instants)
{
    const MemorySnapshot &snapshot = facts.snapshot();
    const MemoryStacks &stacks = facts.stacks();
    std::vector<uint8_t> hasModules(snapshot.stacks.count(), 2); // 2: not determined yet
    std::vector<uint32_t> frames;
    Collected collected;
    collected.take(facts, instants, AllocationStack::keys(snapshot), [&](uint32_t device, uint32_t row) {
        const AllocationStack known = stackOf(facts, device, row);
        const uint32_t stack = known.stack, begin = facts.replay().devices[device].allocations.begin[row];
        const uint32_t forward = begin == MemoryAllocations::kNone ? 0 : snapshot.events.forwardStack.at(begin, 0);
        if (forward == 0 || !known.isOfAllocation())
            return known.key(snapshot);
        if (hasModules[stack] == 2) {
            stacks.modules(stack, frames);
            hasModules[stack] = !frames.empty();
        }
        return hasModules[stack] ? stack : forward;
    });
    return byChain(
        facts, collected, "(in no module)", [&](uint32_t stack, auto &out) { stacks.modules(stack, out); },
        [&](uint32_t frame) { return stacks.moduleText(frame); });
}

MemoryTree byCategory(const SnapshotFacts &facts, std::span<const MemoryInstant> instants,
                      const MemoryCategories &categories)
{
    const std::vector<MemoryCategories::Verdict> &verdicts = categories.verdicts();
    TextLabels texts;
    std::vector<uint8_t> unknown;
    Collected collected;
    collected.take(facts, instants, verdicts.size(),
                   [&](uint32_t device, uint32_t row) { return categories.verdict(device, row); });
    const auto path = [&](uint32_t verdict, std::vector<uint32_t> &labels) {
        for (const std::string *text : {&verdicts[verdict].category, &verdicts[verdict].rule}) {
            labels.push_back(texts.of(*text));
            unknown.resize(std::max<size_t>(unknown.size(), labels.back() + 1), 0);
            unknown[labels.back()] |= verdicts[verdict].unknown;
        }
    };
    return treeOf(collected, path, [&](uint32_t label) { return Label{texts.text(label), {}, unknown[label] != 0}; });
}

MemoryTree byKey(const SnapshotFacts &facts, std::span<const MemoryInstant> instants, const GroupKeys &keys)
{
    Collected collected;
    collected.take(facts, instants, keys.count(), [&](uint32_t device, uint32_t row) { return keys.of(device, row); });
    return treeOf(
        collected, [](uint32_t key, std::vector<uint32_t> &labels) { labels.push_back(key); },
        [&](uint32_t key) {
            return Label{keys.name(key), {}, keys.isUnknown(key)};
        });
}

} // namespace

std::string_view memoryGroupingWord(MemoryGrouping by) { return kWords[static_cast<size_t>(by)]; }

std::optional<MemoryGrouping> memoryGroupingOf(std::string_view word)
{
    const auto at = std::find(kWords.begin(), kWords.end(), word);
    return at == kWords.end() ? std::nullopt : std::optional(static_cast<MemoryGrouping>(at - kWords.begin()));
}

MemoryTree groupMemory(const SnapshotFacts &facts, std::span<const MemoryInstant> instants, MemoryGrouping by,
                       const MemoryCategories *categories)
{
    if (by == MemoryGrouping::Module)
        return byModule(facts, instants);
    if (by == MemoryGrouping::Category)
        return byCategory(facts, instants, *categories);
    if (by != MemoryGrouping::Stack && by != MemoryGrouping::Operator && by != MemoryGrouping::Place)
        return byKey(facts, instants, GroupKeys(facts, by));
    Collected collected;
    collected.take(facts, instants, AllocationStack::keys(facts.snapshot()),
                   [&](uint32_t device, uint32_t row) { return stackOf(facts, device, row).key(facts.snapshot()); });
    if (by == MemoryGrouping::Stack)
        return byStack(facts, collected);
    if (by == MemoryGrouping::Place)
        return byPlace(facts, collected);
    const MemoryStacks &stacks = facts.stacks();
    return byChain(
        facts, collected, "(in no operator)", [&](uint32_t stack, auto &out) { stacks.operators(stack, out); },
        [&](uint32_t frame) { return stacks.operatorText(frame); });
}

ResultTable memoryTreeTable(const MemoryTree &tree, MemoryGrouping by)
{
    ResultTable table;
    const std::string word(memoryGroupingWord(by));
    table.view = "memory_by_" + word;
    table.title = "Alive memory by " + word;
    table.depth = tree.depth;
    std::vector<uint32_t> nodes(tree.size());
    for (uint32_t node = 0; node < tree.size(); ++node)
        nodes[node] = node;
    TableBuilder<uint32_t> build(table, nodes);
    std::string title = word;
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    build.text(word, title, "the property that each row groups by", [&](uint32_t node) { return tree.names[node]; })
        .shorts = tree.shorts;
    const int64_t total = tree.totalBytes();
    auto &bytes = build.integer("bytes", "Bytes", CellKind::Bytes,
                                "active: requested and not yet back in the pool; includes all rows below",
                                [&](uint32_t node) { return tree.bytes[node]; });
    bytes.summed = bytes.barred = true;
    build.share("share", "Share", "bytes / total bytes", [&](uint32_t node) { return ratio(tree.bytes[node], total); });
    build
        .count("allocations", "Allocations", "includes all rows below",
               [&](uint32_t node) { return tree.counts[node]; })
        .summed = true;
    auto &own = build.integer("own_bytes", "Own bytes", CellKind::Bytes, "bytes that are not in any row below",
                              [&](uint32_t node) { return tree.own[node]; });
    own.hidden = true;
    auto &pending =
        build.integer("pending_bytes", "Waiting", CellKind::Bytes,
                      "the part of the bytes that the program has freed but that still waits for other streams; the "
                      "rest is allocated",
                      [&](uint32_t node) { return tree.pending[node]; });
    pending.hidden = true;
    if (tree.size() == 0)
        table.absence = "Nothing is allocated at this instant.";
    return table;
}

} // namespace riffle
