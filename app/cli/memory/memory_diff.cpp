// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/memory_diff.h"
#include "app/cli/command.h"
#include "app/cli/memory/memory_instant.h"
#include "app/cli/output.h"
#include "model/analysis/memory/memory_info.h"

#include <algorithm>
#include <map>

namespace riffle::cli {

namespace {

struct DiffOptions {
    std::vector<std::string> paths;
    std::string from, to;
    MemoryQuestion question;
    InstantQuestion instant;
    std::shared_ptr<StoreUse> use;
};

/// One side: a snapshot and its instants by device.
struct Side {
    std::shared_ptr<const SnapshotFacts> facts;
    std::map<std::pair<bool, int32_t>, MemoryInstant> instants;
    std::optional<MemoryCategories> categories;

    /// A device that the snapshot knows, but that has no such instant.
    bool lacks(const std::pair<bool, int32_t> &device) const
    {
        const auto &devices = facts->replay().devices;
        return !instants.contains(device) && std::any_of(devices.begin(), devices.end(), [&](const DeviceReplay &one) {
            return std::pair(one.host, one.device) == device;
        });
    }
    MemoryTree tree(const std::pair<bool, int32_t> &device, MemoryGrouping by) const
    {
        const auto found = instants.find(device);
        return found == instants.end()
                   ? MemoryTree()
                   : groupMemory(*facts, std::span(&found->second, 1), by, categories ? &*categories : nullptr);
    }
};

Result<Side> sideOf(std::shared_ptr<const SnapshotFacts> facts, const std::string &at, MemoryGrouping by,
                    const InstantQuestion &question)
{
    Side side;
    const auto moment = parseMemoryMoment(at);
    if (!moment)
        return moment.error();
    auto instants = instantsAt(*facts, question, *moment);
    if (!instants)
        return instants.error();
    if (by == MemoryGrouping::Category) {
        auto guessed = categoriesOf(*facts, question.rules);
        if (!guessed)
            return guessed.error();
        side.categories = std::move(*guessed);
    }
    for (MemoryInstant &instant : *instants) {
        const DeviceReplay &device = facts->replay().devices[instant.device];
        side.instants[{device.host, device.device}] = std::move(instant);
    }
    side.facts = std::move(facts);
    return side;
}

int diff(const DiffOptions &options)
{
    const std::string both = options.question.at.empty() ? "peak" : options.question.at;
    const std::string moments[2] = {options.from.empty() ? both : options.from, options.to.empty() ? both : options.to};
    const auto by = memoryGroupingOf(options.question.by.empty() ? "stack" : options.question.by);
    if (!by || options.paths.size() > 2 ||
        (options.paths.size() == 1 && (options.from.empty() || options.to.empty()))) {
        complain(!by ? "a snapshot is told by " + groupingWords(false) + ", not by " + options.question.by
                 : options.paths.size() == 1
                     ? std::string("two instants of one snapshot are named with --from and --to")
                     : "a difference is one of two snapshots, or of two instants of one");
        return Usage;
    }
    int code = Good;
    std::vector<Side> sides;
    std::vector<OpenedFacts> opened;
    for (size_t at = 0; at < 2; ++at) {
        if (at < options.paths.size())
            opened.push_back(openSnapshot(options.paths[at], *options.use, code));
        if (!opened.back().facts)
            return code;
        auto side = sideOf(opened.back().facts, moments[at], *by, options.instant);
        if (!side) {
            complain(side.error().text());
            return codeOf(side.error());
        }
        sides.push_back(std::move(*side));
    }
    std::map<std::pair<bool, int32_t>, std::string> devices;
    for (const Side &side : sides)
        for (const auto &[device, instant] : side.instants)
            if (!sides[0].lacks(device) && !sides[1].lacks(device))
                devices[device] = memoryDeviceName(side.facts->replay().devices[instant.device]);
    if (devices.empty()) {
        complain("no device has both instants");
        return Usage;
    }
    ResultTable all;
    std::vector<int64_t> weights;
    for (const auto &[device, name] : devices) {
        const MemoryTree before = sides[0].tree(device, *by), after = sides[1].tree(device, *by);
        const MemoryDifference difference = memoryDifference(before, after);
        ResultTable table = memoryDifferenceTable(difference, *by);
        weights.insert(weights.end(), difference.weight.begin(), difference.weight.end());
        if (*by != MemoryGrouping::Device)
            addSecondColumn(table, "device", "Device", name, devices.size() == 1);
        for (size_t at = 0; at < 2; ++at) {
            const auto found = sides[at].instants.find(device);
            table.notes.push_back((at ? "After: " : "Before: ") +
                                  (options.paths.size() == 2 ? options.paths[at] + ": " : std::string()) +
                                  (found == sides[at].instants.end()
                                       ? name + ": the snapshot does not know it."
                                       : describeInstant(*sides[at].facts, found->second.device, found->second.event)));
        }
        appendTable(all, std::move(table));
    }
    printLargestRows(std::move(all), options.question, options.instant.unit, weights);
    for (const OpenedFacts &one : opened)
        one.finish();
    return code;
}

} // namespace

void addMemoryDiffCommand(CLI::App &memory, std::shared_ptr<StoreUse> use, int &code)
{
    auto options = std::make_shared<DiffOptions>();
    CLI::App *command = memory.add_subcommand(
        "diff", "What is alive in one snapshot and not in the other, or at two instants of one: new, gone, grown");
    command->add_option("FILE", options->paths, "Two snapshots; or one, with --from and --to")->required();
    command->add_option("--at", options->question.at,
                        std::string("When, in both: ") + kMomentForm + "; peak if you do not say");
    command->add_option("--from", options->from, "When, in the first one");
    command->add_option("--to", options->to, "When, in the second one");
    command->add_option("--by", options->question.by, "What the rows are: " + groupingWords(false) + " (stack)");
    options->instant.addTo(*command);
    options->use = std::move(use);
    options->use->addTo(*command);
    command
        ->add_option(
            "--limit", options->question.limit,
            "Rows to show, those that changed most; 50 for people and all for programs if you do not say; 0: all")
        ->check(rowCount());
    command->add_option("--format", options->question.format, "How to print")
        ->check(CLI::IsMember({"table", "csv", "json", "md"}))
        ->capture_default_str();
    command->footer("\nRows of the two are the same when their names are, and those of all rows around them; "
                    "allocations themselves are not matched.\n");
    command->callback([options, &code] { code = diff(*options); });
}

} // namespace riffle::cli
