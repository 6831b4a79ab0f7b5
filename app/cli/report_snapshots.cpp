// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report_snapshots.h"

#include "app/cli/command.h"
#include "app/cli/memory/memory_flame.h"
#include "app/cli/memory/memory_instant.h"
#include "app/cli/report_curve.h"
#include "app/cli/report_page.h"
#include "app/cli/report_verdict.h"
#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/allocator/fragmentation.h"
#include "model/analysis/memory/memory_info.h"
#include "model/layout/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace riffle::cli {

namespace {

constexpr uint32_t kCurvePoints = 560; ///< columns of two pixels

/// The part of a page about one snapshot.
class SnapshotPart {
public:
    SnapshotPart(const SnapshotFacts &facts, size_t limit, CategoryClasses &classes)
        : m_facts(facts)
        , m_limit(limit)
        , m_classes(classes)
        , m_failures(explainOutOfMemory(facts, {}))
        , m_categories(facts, MemoryRules::builtIn())
    {
    }

    std::string html()
    {
        const MemorySnapshot &snapshot = m_facts.snapshot();
        m_out = "<h1>" + escapedXml(nameOfFile(snapshot.path)) + "</h1>\n";
        if (snapshot.damage)
            m_out += "<p><b>Only the start of the file could be read, so everything below is incomplete.</b></p>\n";
        heading("Verdict");
        m_out += verdictHtml(m_facts, m_failures, m_categories, m_limit);
        heading("What is missing, and what is a guess");
        std::vector<std::string> notes = memoryRemarks(snapshot, m_facts.replay());
        notes.emplace_back("Categories are guessed from stacks, lifetimes and sizes, unless the snapshot records them. "
                           "The tables of categories name the rule, and `riffle-cli memory rules` prints all rules.");
        notes.emplace_back("The size of a block is recorded only if the block is there at the end. Other sizes follow "
                           "from the rules of PyTorch's allocator.");
        for (const std::string &note : notes)
            m_out += "<p class=\"note\">" + escapedXml(note) + "</p>\n";
        heading("Devices");
        const MemoryReplay &replay = m_facts.replay();
        m_out += tableHtml(memoryDevices(snapshot, replay), m_limit);
        for (uint32_t device = 0; device < replay.devices.size(); ++device)
            addDevice(device);
        return m_out;
    }

private:
    void heading(const std::string &title) { m_out += "<h2>" + escapedXml(title) + "</h2>\n"; }
    void subheading(const std::string &title) { m_out += "<h3>" + escapedXml(title) + "</h3>\n"; }

    void addDevice(uint32_t device)
    {
        const DeviceReplay &replay = m_facts.replay().devices[device];
        const std::string name = memoryDeviceName(replay);
        const auto failure =
            std::ranges::find_if(m_failures, [&](const OutOfMemory &oom) { return oom.device == device; });
        const bool failed = failure != m_failures.end();
        const MemoryInstant peak = memoryInstant(m_facts, device, replay.peakAllocatedEvent),
                            then = failed ? memoryInstant(m_facts, device, failure->event) : peak;
        const bool isPeak = then.rows == peak.rows;
        std::vector<CurveMark> marks;
        if (failed)
            marks.push_back({failure->event, isPeak ? "out of memory, peak" : "out of memory"});
        if (peak.event != MemoryAllocations::kNone && (!failed || !isPeak))
            marks.push_back({peak.event, "peak"});
        std::ranges::sort(marks, {}, &CurveMark::event);
        heading(name + ": memory over time");
        const CategoryCurve curve = categoryCurve(m_facts, device, m_categories, kCurvePoints, {});
        m_out += replay.events == 0
                     ? "<p class=\"note\">" + escapedXml(missingHistory(m_facts.snapshot()).text) + "</p>\n"
                     : memoryChart(m_facts, device, curve, marks, m_classes);
        const AllocatorMap map(m_facts, device, {});
        if (failed)
            addInstant(map, then,
                       name + (isPeak ? ": alive at the failure and at the peak" : ": alive at the first failure"));
        if (!failed || !isPeak)
            addInstant(map, peak, name + (replay.events == 0 ? ": alive at the end" : ": alive at the peak"));
        if (replay.events > 0) {
            heading(name + ": peaks of streams and pools");
            m_out += tableHtml(allocatorPeaksTable(map, allocatorSeries(map, kCurvePoints, {})), m_limit);
        }
    }

    void addInstant(const AllocatorMap &map, const MemoryInstant &instant, const std::string &title)
    {
        heading(title);
        subheading("Categories");
        addAlive(instant, MemoryGrouping::Category);
        subheading("The largest places of allocation");
        addAlive(instant, MemoryGrouping::Place);
        subheading("Flame graph by stack");
        constexpr double kWidth = 1200;
        const MemoryTree tree = groupMemory(m_facts, std::span(&instant, 1), MemoryGrouping::Stack);
        m_out += "<div class=\"wide\">" +
                 flameSvg(memoryFlame(tree, describeInstant(m_facts, instant.device, instant.event)), kWidth) +
                 "</div>\n";
        subheading("Allocator");
        const AllocatorState state = map.after(instant.event);
        ResultTable figures = allocatorFigures(map, state);
        figures.notes = allocatorRemarks(map, state);
        m_out += tableHtml(figures, m_limit);
        subheading("The largest segments");
        addLargest(allocatorSegments(map, state), "reserved");
    }

    void addAlive(const MemoryInstant &instant, MemoryGrouping by)
    {
        const ResultTable table =
            aliveTable(m_facts, {instant}, by, by == MemoryGrouping::Category ? &m_categories : nullptr);
        addLargest(table, "bytes");
    }

    /// Adds the rows of a table with the most bytes.
    void addLargest(const ResultTable &table, const char *bytes)
    {
        const ResultColumn *const column = table.column(bytes);
        const std::vector<int64_t> weights = column ? column->integers : std::vector<int64_t>();
        m_out += tableHtml(table, largestRows(table, weights, static_cast<int64_t>(m_limit)));
    }

    const SnapshotFacts &m_facts;
    const size_t m_limit;
    CategoryClasses &m_classes;
    const std::vector<OutOfMemory> m_failures;
    const MemoryCategories m_categories;
    std::string m_out;
};

} // namespace

std::optional<std::string> snapshotsPage(const std::vector<std::string> &paths, size_t limit, const StoreUse &use,
                                         int &code)
{
    std::string title = nameOfFile(paths.front());
    if (paths.size() > 1)
        title += fmt::format(" and {} more", paths.size() - 1);
    std::string out = pageHead(title);
    CategoryClasses classes;
    for (const std::string &path : paths) { // only one snapshot is in memory at a time
        const OpenedFacts opened = openSnapshot(path, use, code);
        if (!opened.facts)
            return std::nullopt;
        out += SnapshotPart(*opened.facts, limit, classes).html();
        code = opened.finish(code);
        if (code == Unreadable)
            return std::nullopt;
    }
    return out + pageEnd();
}

} // namespace riffle::cli
