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

/// One side of the comparison: a snapshot and its instants by device.
struct Side {
    std::shared_ptr<const SnapshotFacts> facts;
    std::map<std::pair<bool, int32_t>, MemoryInstant> instants;
    std::optional<MemoryCategories> categories;

    /// True if the device is in the snapshot but does not have the instant.
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
    const auto by = memoryGroupingOf(options.question.by.empty() ? memoryGroupingWord(kDefaultMemoryGrouping)
                                                                 : options.question.by);
    if (!by || options.paths.size() > 2 ||
        (options.paths.size() == 1 && (options.from.empty() || options.to.empty()))) {
        complain(!by ? "Snapshots cannot be grouped by " + options.question.by + ". Use " + groupingWords(false) + "."
                 : options.paths.size() == 1 ? std::string("Name two instants of the snapshot with --from and --to.")
                                             : "Give two snapshots, or one snapshot with --from and --to.");
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
        complain("No device has both instants.");
        return Usage;
    }
    ResultTable all;
    std::vector<int64_t> weights;
    for (const auto &[device, name] : devices) {
        const MemoryTree before = sides[0].tree(device, *by), after = sides[1].tree(device, *by);
        const MemoryDifference difference = memoryDifference(before, after, *by);
        ResultTable table = memoryDifferenceTable(difference, *by);
        weights.insert(weights.end(), difference.weight.begin(), difference.weight.end());
        if (*by != MemoryGrouping::Device)
            addSecondColumn(table, "device", "Device", name, devices.size() == 1);
        for (size_t at = 0; at < 2; ++at) {
            const auto found = sides[at].instants.find(device);
            table.notes.push_back((at ? "After: " : "Before: ") +
                                  (options.paths.size() == 2 ? options.paths[at] + ": " : std::string()) +
                                  (found == sides[at].instants.end()
                                       ? name + ": it is not in the snapshot."
                                       : describeInstant(*sides[at].facts, found->second.device, found->second.event)));
        }
        all.append(std::move(table));
    }
    printLargestRows(std::move(all), options.question, options.instant.unit, weights);
    for (const OpenedFacts &one : opened)
        code = one.finish(code);
    return code;
}

} // namespace

void addMemoryDiffCommand(CLI::App &memory, std::shared_ptr<StoreUse> use, int &code)
{
    auto options = std::make_shared<DiffOptions>();
    CLI::App *command = memory.add_subcommand(
        "diff", "Compare the memory alive in two snapshots, or at two instants of one: what is new, gone or grown");
    command->add_option("FILE", options->paths, "Two snapshots, or one with --from and --to")->required();
    command->add_option("--at", options->question.at,
                        std::string("The instant in both snapshots: ") + kMomentForm + ". Default: peak");
    command->add_option("--from", options->from, "The instant in the first snapshot");
    command->add_option("--to", options->to, "The instant in the second snapshot");
    command->add_option("--by", options->question.by, "Group rows by " + groupingWords(false) + ". Default: place");
    options->instant.addTo(*command);
    options->use = std::move(use);
    options->use->addTo(*command);
    command
        ->add_option(
            "--limit", options->question.limit,
            "Maximum number of rows, those that changed most. Default: 50 in table and md, all in csv and json; 0: all")
        ->check(rowCount());
    command->add_option("--format", options->question.format, "Output format")
        ->check(CLI::IsMember({"table", "csv", "json", "md"}))
        ->capture_default_str();
    command->footer(
        "\nRows of the two sides match if they and all rows that contain them have the same names; by place, "
        "folders do\n"
        "not count. Single allocations are not matched.\n");
    command->callback([options, &code] {
        if (gather(options->paths, Usable::Snapshots, {}, code))
            code = worseOf(code, diff(*options));
    });
}

} // namespace riffle::cli
