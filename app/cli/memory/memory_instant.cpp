// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/memory/memory_instant.h"

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "model/analysis/memory/alive/alive_table.h"
#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/base/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace riffle::cli {

namespace {

/// The word of --by that stands for no grouping: one row per allocation.
constexpr const char *kEach = "allocation";

/// Says how much of the memory has a category that was inferred from its size alone.
void noteInferred(ResultTable &table, const SnapshotFacts &facts, const MemoryInstant &instant,
                  const MemoryCategories &categories)
{
    const DeviceReplay &device = facts.replay().devices[instant.device];
    int64_t inferred = 0, total = 0;
    for (const uint32_t row : instant.rows) {
        const int64_t size = device.allocations.size(facts.snapshot(), row);
        total = saturatedSum(total, size);
        if (categories.verdicts()[categories.verdict(instant.device, row)].inferred)
            inferred = saturatedSum(inferred, size);
    }
    if (inferred != 0)
        table.notes.push_back(memoryDeviceName(device) + ": the category of " + formatShare(ratio(inferred, total)) +
                              " of the bytes is inferred from their sizes alone, because nothing else is known about "
                              "them.");
}

} // namespace

ResultTable aliveTable(const SnapshotFacts &facts, const std::vector<MemoryInstant> &instants,
                       std::optional<MemoryGrouping> by, const MemoryCategories *categories)
{
    ResultTable all;
    for (const MemoryInstant &instant : instants) {
        const MemoryTree tree = by ? groupMemory(facts, std::span(&instant, 1), *by, categories) : MemoryTree();
        ResultTable table = by ? memoryTreeTable(tree, *by) : aliveAllocations(facts, instant, categories);
        const DeviceReplay &device = facts.replay().devices[instant.device];
        const int64_t number = instant.event == MemoryAllocations::kNone
                                   ? std::numeric_limits<int64_t>::min()
                                   : static_cast<int64_t>(instant.event - device.firstEvent);
        ResultColumn &event = table.add("event", "After event", CellKind::Count,
                                        "number of the event in the device's history; empty before the first one");
        event.integers.assign(table.rows(), number);
        event.hidden = event.isId = true;
        if (by != MemoryGrouping::Device)
            addSecondColumn(table, "device", "Device", memoryDeviceName(device), instants.size() == 1);
        table.notes.push_back(describeInstant(facts, instant.device, instant.event));
        if (const int64_t unknown = tree.unknownBytes();
            tree.totalBytes() != 0 && (unknown != 0 || by == MemoryGrouping::Category))
            table.notes.push_back(memoryDeviceName(device) + ": nothing is known about " +
                                  formatShare(ratio(unknown, tree.totalBytes())) + " of the bytes.");
        if (categories)
            noteInferred(table, facts, instant, *categories);
        const std::string_view title = AllocationStack{1, AllocationStack::Of::GivenBackFromBefore}.title();
        for (uint32_t top = 0; top < tree.size(); top = tree.end(top))
            if (tree.names[top] == title)
                table.notes.push_back(
                    memoryDeviceName(device) + ": " + formatShare(ratio(tree.bytes[top], tree.totalBytes())) +
                    " of the bytes were allocated before the history; only the place that freed them is known.");
        all.append(std::move(table));
    }
    return all;
}

void InstantQuestion::addTo(CLI::App &command)
{
    command.add_option("--device", device,
                       "For snapshots: only this device. Without it, an event number refers to the first device that "
                       "has a history");
    command.add_flag("--host", host, "For snapshots: show the pinned memory of the host");
    command.add_option("--rules", rules,
                       "For snapshots: a file of rules for --by category, instead of the built-in rules, which "
                       "`memory rules` prints");
    command.add_option("--unit", unit, "For snapshots: unit of all sizes in table and md output")
        ->check(CLI::IsMember({"B", "KiB", "MiB", "GiB"}));
}

std::string groupingWords(bool each)
{
    std::string words;
    const int all = kMemoryGroupings + each;
    for (int at = 0; at < all; ++at)
        words += std::string(at == 0         ? ""
                             : at + 1 == all ? " or "
                                             : ", ") +
                 (at < kMemoryGroupings ? std::string(memoryGroupingWord(static_cast<MemoryGrouping>(at))) : kEach);
    return words;
}

void addMemoryRulesCommand(CLI::App &memory)
{
    CLI::App *command = memory.add_subcommand(
        "rules", "Print the rules that guess the categories of allocations, as a starting point for your own rules");
    command->footer("\n"
                    "Rules are tried in order; the first one that holds determines the category. allocated_in, "
                    "also_allocated_in and\n"
                    "not_allocated_in name sets of frames for the stack that allocated the memory; freed_in and "
                    "not_freed_in for the stack\n"
                    "that freed it; lives_through for stacks that allocated other memory in the meantime. replaced_in "
                    "is for memory from\n"
                    "before the history: it names sets for the call that freed it, if that call also made as many "
                    "allocations of that size,\n"
                    "and these stay. begun and freed say whether the start and the end of the allocation are in the "
                    "history. same_call: it\n"
                    "was freed inside the operator that allocated it. continued: the next allocation happened further "
                    "down in the same\n"
                    "call. at_most_events, at_least_bytes and at_most_bytes are integers. inferred: true marks the "
                    "category as inferred.\n"
                    "\n"
                    "A frame is FUNCTION or FUNCTION @ FILE. Both must match in full, with * for any text. The file "
                    "<module file> is any\n"
                    "file in which a module's forward ran. A set contains the stacks with one of its frames, but none "
                    "with a frame that is\n"
                    "given after \"! \". <no frames> is a stack without frames, in a history that has some; <range "
                    "NAME> is an event without\n"
                    "frames in a range that the program marked.\n"
                    "\n"
                    "A rule with sized_like is for memory from before the history of which only the size is known. "
                    "sized_like names a\n"
                    "category. The rule holds for a size if there are at most at_most_each (1 if not given) such "
                    "allocations for each one\n"
                    "of that category and none of the category not_sized_like, and only if nine tenths of that "
                    "category's bytes have such\n"
                    "counterparts.\n");
    command->callback([] { fmt::print("{}", MemoryRules::builtInText()); });
}

Result<MemoryCategories> categoriesOf(const SnapshotFacts &facts, const std::string &rules)
{
    if (rules.empty())
        return MemoryCategories(facts, MemoryRules::builtIn());
    const auto read = MemoryRules::read(rules);
    if (!read)
        return read.error();
    return MemoryCategories(facts, *read);
}

Result<std::vector<MemoryInstant>> instantsAt(const SnapshotFacts &facts, const InstantQuestion &instant,
                                              const MemoryMoment &moment)
{
    std::vector<uint32_t> devices;
    std::string there;
    for (uint32_t at = 0; at < facts.replay().devices.size(); ++at) {
        const DeviceReplay &device = facts.replay().devices[at];
        there += (there.empty() ? "" : ", ") + memoryDeviceName(device);
        if (instant.device ? device.device == *instant.device && device.host == instant.host
                           : !instant.host || device.host)
            devices.push_back(at);
    }
    const auto wrong = [&](const std::string &message) {
        return Error{message, facts.snapshot().path, std::nullopt, ErrorKind::Question};
    };
    if (there.empty())
        return wrong("The snapshot contains no segments and no history.");
    if (devices.empty())
        return wrong("There is no such device. The devices are " + there + ".");
    if (!instant.device && moment.kind == MemoryMoment::Kind::Event) {
        const auto first = std::find_if(devices.begin(), devices.end(),
                                        [&](uint32_t at) { return facts.replay().devices[at].events > 0; });
        devices = {first == devices.end() ? devices.front() : *first};
    }
    std::vector<MemoryInstant> instants;
    std::string why;
    for (const uint32_t at : devices) {
        if (const auto event = eventAt(facts, at, moment))
            instants.push_back(memoryInstant(facts, at, *event));
        else if (why.empty())
            why = event.error().message;
    }
    if (instants.empty())
        return wrong(why);
    return instants;
}

bool visitInstants(const std::vector<std::string> &paths, const InstantQuestion &instant, const MemoryMoment &moment,
                   bool categorised, const StoreUse &use, OpenedFacts &opened, int &code,
                   const std::function<void(const SnapshotInstants &)> &take)
{
    for (const std::string &path : paths) {
        code = opened.finish(code);
        if (code == Unreadable) // the answer about the snapshot before this one is incomplete
            return false;
        opened = {}; // before the next one is read, so that only one is in memory at a time
        opened = openSnapshot(path, use, code);
        const auto &facts = opened.facts;
        if (!facts)
            return false;
        const auto instants = instantsAt(*facts, instant, moment);
        if (!instants) {
            complain(instants.error().text());
            code = codeOf(instants.error());
            return false;
        }
        std::optional<MemoryCategories> categories;
        if (categorised) {
            auto guessed = categoriesOf(*facts, instant.rules);
            if (!guessed) {
                complain(guessed.error().text());
                code = codeOf(guessed.error());
                return false;
            }
            categories = std::move(*guessed);
        }
        take({path, *facts, *instants, categories ? &*categories : nullptr});
    }
    return true;
}

int instantAnswer(const std::vector<std::string> &paths, const MemoryQuestion &question, const InstantQuestion &instant,
                  const StoreUse &use)
{
    const auto moment = parseMemoryMoment(question.at.empty() ? "peak" : question.at);
    const auto by = memoryGroupingOf(question.by.empty() ? memoryGroupingWord(kDefaultMemoryGrouping) : question.by);
    if (!moment || (!by && question.by != kEach)) {
        complain(!moment ? moment.error().text()
                         : "Snapshots cannot be grouped by " + question.by + ". Use " + groupingWords(true) + ".");
        return Usage;
    }
    int code = Good;
    ResultTable all;
    OpenedFacts opened;
    const bool categorised = !by || *by == MemoryGrouping::Category;
    const auto add = [&](const SnapshotInstants &at) {
        ResultTable table = aliveTable(at.facts, at.instants, by, at.categories);
        if (moment->kind == MemoryMoment::Kind::OutOfMemory && !instant.device &&
            at.instants.size() < at.facts.replay().devices.size())
            table.notes.push_back("Only devices that ran out of memory are shown.");
        if (paths.size() > 1) {
            addSecondColumn(table, kTraceColumn, "Snapshot", at.path, false);
            for (std::string &note : table.notes)
                note = at.path + ": " + note;
        }
        all.append(std::move(table));
    };
    if (!visitInstants(paths, instant, *moment, categorised, use, opened, code, add))
        return code;
    printLargestRows(std::move(all), question, instant.unit);
    return opened.finish(code);
}

} // namespace riffle::cli
