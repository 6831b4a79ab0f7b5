// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report_verdict.h"

#include "app/cli/report_page.h"
#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/memory/allocator/allocator_map.h"
#include "model/analysis/memory/allocator/oom_advice.h"
#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/base/time.h"
#include "model/layout/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>

namespace riffle::cli {

namespace {

constexpr size_t kTold = 3; ///< failures that get a paragraph; all of them are in the table

/// "Device 0": the name at the start of a sentence.
std::string firstWords(const DeviceReplay &device)
{
    std::string name = memoryDeviceName(device);
    name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    return name;
}

std::string paragraph(const std::string &text) { return "<p>" + escapedXml(text) + "</p>\n"; }

/// "activation (3.00 GiB, 60.0 %), gradient (1.00 GiB, 20.0 %)": the largest top nodes of a tree.
std::string largestOf(const MemoryTree &tree)
{
    constexpr size_t kNamed = 4;
    std::vector<uint32_t> tops;
    for (uint32_t node = 0; node < tree.size(); node = tree.end(node))
        tops.push_back(node);
    std::ranges::stable_sort(tops, [&](uint32_t a, uint32_t b) { return tree.bytes[a] > tree.bytes[b]; });
    tops.resize(std::min(tops.size(), kNamed));
    std::string text;
    constexpr double kLeast = 0.01; // a hundredth of the memory
    for (const uint32_t node : tops)
        if (const double share = ratio(tree.bytes[node], tree.totalBytes()); text.empty() || share >= kLeast)
            text += fmt::format("{}{} ({}, {})", text.empty() ? "" : ", ", tree.shorts[node],
                                formatBytes(tree.bytes[node]), formatShare(share));
    return text;
}

/// The users of the memory at an instant, by category and by place.
std::string usersOf(const SnapshotFacts &facts, const MemoryInstant &instant, const MemoryCategories &categories)
{
    const std::span<const MemoryInstant> one(&instant, 1);
    const std::string categoryText = largestOf(groupMemory(facts, one, MemoryGrouping::Category, &categories)),
                      placeText = largestOf(groupMemory(facts, one, MemoryGrouping::Place));
    if (categoryText.empty())
        return paragraph("Nothing was allocated.");
    return paragraph("What used the memory, by category (mostly a guess, see below): " + categoryText + ".") +
           paragraph("The places that allocated most of it: " + placeText + ".");
}

/// The memory that the allocator held at an instant.
std::string figuresText(const AllocatorFigures &figures)
{
    const auto text = [](uint64_t bytes) { return formatBytes(bytesOf(bytes)); };
    return fmt::format(
        "The allocator held {}: {} allocated, {} pending (freed, but waiting for other streams), {} lost "
        "to rounding, and {} cached (free between blocks). The largest hole was {}, so the fragmentation "
        "was {}.",
        text(figures.reserved), text(figures.allocated), text(figures.pending), text(figures.rounding()),
        text(figures.free), text(figures.largestFree), formatShare(figures.fragmentation()));
}

std::string failureText(const SnapshotFacts &facts, const OutOfMemory &oom)
{
    const DeviceReplay &device = facts.replay().devices[oom.device];
    const int64_t time = facts.snapshot().events.time.at(oom.event, MemoryEventTable::kNoTime);
    return fmt::format("{} ran out of memory at event {}{}: {} were requested at {}.", firstWords(device),
                       formatCount(oom.event - device.firstEvent),
                       time == MemoryEventTable::kNoTime
                           ? std::string()
                           : ", " + formatDuration(saturatedSum(time, -snapshotOrigin(facts.snapshot()))) +
                                 " after the first event",
                       formatBytes(bytesOf(oom.asked)), failedLine(facts, oom.stack));
}

} // namespace

std::string verdictHtml(const SnapshotFacts &facts, const std::vector<OutOfMemory> &failures,
                        const MemoryCategories &categories, size_t limit)
{
    std::string out;
    for (size_t at = 0; at < std::min(failures.size(), kTold); ++at) {
        const OutOfMemory &oom = failures[at];
        out += "<p><b>" + escapedXml(failureText(facts, oom)) + "</b></p>\n" + paragraph(oomVerdictText(oom)) +
               paragraph(figuresText(oom.figures)) +
               usersOf(facts, memoryInstant(facts, oom.device, oom.event), categories);
    }
    if (!failures.empty())
        out += "<h3>Failed allocations</h3>\n" + tableHtml(outOfMemoryTable(facts, failures), limit) +
               "<h3>What would have helped</h3>\n" +
               tableHtml(adviceTable(facts, failures, adviceOnFailures(facts, failures, categories, {})), limit);
    for (uint32_t device = 0; device < facts.replay().devices.size(); ++device) {
        if (std::ranges::any_of(failures, [&](const OutOfMemory &oom) { return oom.device == device; }))
            continue;
        const DeviceReplay &replay = facts.replay().devices[device];
        const MemoryInstant peak = memoryInstant(facts, device, replay.peakAllocatedEvent);
        const char *what = replay.events == 0        ? "At the end"
                           : facts.snapshot().damage ? "No failed allocation could be read. At the peak"
                                                     : "No allocation failed. At the peak";
        out += "<p><b>" + escapedXml(fmt::format("{}, {}", what, describeInstant(facts, device, peak.event))) +
               "</b></p>\n" + paragraph(figuresText(AllocatorMap(facts, device, {}).after(peak.event).figures)) +
               usersOf(facts, peak, categories);
    }
    return out.empty() ? paragraph("The snapshot contains no segments and no history.") : out;
}

} // namespace riffle::cli
