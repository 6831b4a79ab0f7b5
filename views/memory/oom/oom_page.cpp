// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/oom/oom_page.h"

#include "model/analysis/memory/alive/alive_stacks.h"
#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/allocator/fragmentation.h"
#include "model/analysis/memory/allocator/oom_advice.h"
#include "model/analysis/memory/allocator/oom_report.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_text.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>

namespace riffle {

namespace {

constexpr size_t kRows = 12;  ///< the most rows of a table of alive memory
constexpr size_t kPages = 10; ///< the most failures that are described in full

QString translated(const char *text) { return QCoreApplication::translate("riffle::OomView", text); }

/// A table with the columns that have these keys. It shows up to `most` top-level rows.
QString tableHtml(const ResultTable &table, std::initializer_list<const char *> keys, size_t most)
{
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='4'><tr>");
    std::vector<const ResultColumn *> columns;
    for (const char *key : keys)
        if (const ResultColumn *column = table.column(key))
            columns.push_back(column);
    for (const ResultColumn *column : columns)
        html += QStringLiteral("<th align='%1' title='%3'>%2</th>")
                    .arg(column->kind == CellKind::Text ? QStringLiteral("left") : QStringLiteral("right"),
                         escapedHtml(column->title), escapedHtml(column->formula));
    html += QStringLiteral("</tr>");
    size_t shown = 0, all = 0;
    for (size_t row = 0; row < table.rows(); ++row) {
        if (!table.depth.empty() && table.depth[row] > 0)
            continue;
        if (++all > most)
            continue;
        ++shown;
        html += QStringLiteral("<tr>");
        for (const ResultColumn *column : columns)
            html += column->kind == CellKind::Text
                        ? QStringLiteral("<td>%1</td>").arg(escapedHtml(cellText(*column, row)))
                        : QStringLiteral("<td align='right'>%1</td>").arg(escapedHtml(cellText(*column, row)));
        html += QStringLiteral("</tr>");
    }
    html += QStringLiteral("</table>");
    if (all > shown)
        html += QStringLiteral("<p>%1</p>")
                    .arg(translated("and %1 more").arg(toQString(formatCount(static_cast<int64_t>(all - shown)))));
    return html;
}

QString failureHtml(const SnapshotFacts &facts, const MemoryCategories &categories, const QString &rulesName,
                    const OutOfMemory &oom, const ResultTable &advice)
{
    const DeviceReplay &device = facts.replay().devices[oom.device];
    QString html = QStringLiteral("<h2>%1</h2>")
                       .arg(translated("%1 ran out of memory at event %2")
                                .arg(escapedHtml(memoryDeviceName(device)),
                                     toQString(formatCount(oom.event - device.firstEvent))));
    html += QStringLiteral("<p>%1</p>").arg(translated("Failed at: %1").arg(escapedHtml(failedLine(facts, oom.stack))));
    html += QStringLiteral("<p><b>%1</b></p>").arg(escapedHtml(oomVerdictText(oom)));
    html += QStringLiteral("<p><a href='at:%1:%2'>%3</a></p>")
                .arg(oom.device)
                .arg(oom.event)
                .arg(translated("Go to this instant"));
    html += QStringLiteral("<table cellspacing='0' cellpadding='3'>");
    const auto row = [&](const QString &name, uint64_t value, const QString &note = {}) {
        html +=
            QStringLiteral("<tr><td>%1</td><td align='right'><b>&nbsp;&nbsp;%2</b></td><td>&nbsp;&nbsp;%3</td></tr>")
                .arg(name, bytesText(value), note);
    };
    row(translated("Requested"), oom.asked,
        toQString(memoryStreamName(oom.stream) + ", " + memoryPoolName(facts.snapshot(), oom.pool)));
    row(translated("Free on the device"), oom.deviceFree.value_or(0),
        oom.deviceFree ? translated("as recorded") : translated("not recorded"));
    row(translated("Reserved by the allocator"), oom.figures.reserved,
        toQString(formatCounted(oom.figures.segments, "segment", "segments")));
    row(translated("Alive"), oom.figures.allocated,
        translated("requested sizes, in %1").arg(toQString(formatCounted(oom.figures.blocks, "block", "blocks"))));
    row(translated("Pending frees"), oom.figures.pending, translated("freed, waiting for other streams"));
    row(translated("Rounding"), oom.figures.rounding());
    row(translated("Cached"), oom.figures.free,
        translated("free between blocks, in %1").arg(toQString(formatCounted(oom.figures.holes, "hole", "holes"))));
    row(translated("Largest hole"), oom.figures.largestFree);
    row(translated("Largest hole of the stream"), oom.largestOfStream);
    row(translated("Missing"), oom.lacking(), translated("requested − cached − pending blocks − free on the device"));
    html += QStringLiteral("</table>");
    html += QStringLiteral("<h3>%1</h3>").arg(escapedHtml(advice.title));
    html += advice.absence.empty()
                ? tableHtml(advice, {"advice", "bytes", "enough", "certainty", "place", "explanation"}, kRows)
                : QStringLiteral("<p>%1</p>").arg(escapedHtml(advice.absence));
    const MemoryInstant instant = memoryInstant(facts, oom.device, oom.event);
    html += QStringLiteral("<h3>%1</h3>").arg(translated("Alive memory by the stack that allocated it"));
    html += tableHtml(aliveStacks(facts, instant), {"where", "bytes", "share", "allocations"}, kRows);
    const auto grouped = [&](const QString &title, MemoryGrouping by, const char *word) {
        html += QStringLiteral("<h3>%1</h3>").arg(title);
        const MemoryTree tree = groupMemory(facts, std::span(&instant, 1), by, &categories);
        html += tableHtml(memoryTreeTable(tree, by), {word, "bytes", "share", "allocations"}, kRows);
    };
    grouped(translated("Alive memory by category, as guessed by %1").arg(rulesName.toHtmlEscaped()),
            MemoryGrouping::Category, "category");
    grouped(translated("Alive memory by operator"), MemoryGrouping::Operator, "operator");
    return html;
}

} // namespace

QString oomPage(const SnapshotFacts &facts, const MemoryRules &rules, const QString &rulesName, const Task &task)
{
    const std::vector<OutOfMemory> all = explainOutOfMemory(facts, task);
    QString html;
    if (all.empty())
        html +=
            QStringLiteral("<h2>%1</h2><p>%2</p>")
                .arg(translated("No allocation failed"),
                     translated(
                         "The history of the snapshot contains no oom event. The peaks of streams and pools follow."));
    else if (all.size() > 1)
        html +=
            tableHtml(outOfMemoryTable(facts, all),
                      {"device", "event", "asked", "device_free", "reserved", "cached", "largest_free", "verdict"}, 50);
    std::optional<MemoryCategories> categories;
    if (!all.empty())
        categories.emplace(facts, rules);
    const std::vector<OomAdvice> advice =
        categories ? adviceOnFailures(facts, all, *categories, task) : std::vector<OomAdvice>();
    for (size_t at = 0; at < std::min(all.size(), kPages); ++at) {
        std::vector<OomAdvice> own;
        std::copy_if(advice.begin(), advice.end(), std::back_inserter(own),
                     [&](const OomAdvice &one) { return one.failure == at; });
        html += failureHtml(facts, *categories, rulesName, all[at], adviceTable(facts, all, own));
    }
    html += QStringLiteral("<h2>%1</h2>").arg(translated("Peaks by stream and pool"));
    const std::vector<DeviceReplay> &devices = facts.replay().devices;
    for (uint32_t row = 0; row < devices.size() && !task.stopped(); ++row) {
        const AllocatorMap map(facts, row, task);
        html += QStringLiteral("<h3>%1</h3>").arg(escapedHtml(memoryDeviceName(devices[row])));
        html += tableHtml(allocatorPeaksTable(map, allocatorSeries(map, 1, task)),
                          {"of", "peak_allocated", "allocated_event", "peak_active", "active_event", "peak_reserved",
                           "reserved_event"},
                          100);
    }
    return html;
}

} // namespace riffle
