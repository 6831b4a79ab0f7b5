// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/format.h"
#include "views/common/look/qt_text.h"
#include "views/details/details_html.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>

namespace riffle {

namespace {

struct OverviewWords {
    Q_DECLARE_TR_FUNCTIONS(riffle::TraceOverview)
};

QString count(uint64_t number) { return escapedHtml(formatCount(static_cast<int64_t>(number))); }

QString sizeText(const TraceInfo &info)
{
    const QString file = escapedHtml(formatBytes(static_cast<int64_t>(info.fileBytes)));
    if (info.container == "plain" || info.textBytes == 0)
        return file;
    return OverviewWords::tr("%1 %2, %3 of text")
        .arg(file, escapedHtml(info.container), escapedHtml(formatBytes(static_cast<int64_t>(info.textBytes))));
}

QString openedText(const TraceInfo &info)
{
    const auto seconds = formatDuration(static_cast<Ns>(info.loadSeconds * 1e9));
    if (info.fromStore && info.loadSeconds <= 0)
        return OverviewWords::tr("by reading the file; a copy is stored for the next time");
    if (info.fromStore)
        return OverviewWords::tr("from its stored copy in %1").arg(escapedHtml(seconds));
    if (info.loadSeconds <= 0)
        return OverviewWords::tr("by reading the file");
    const double rate = static_cast<double>(info.textBytes) / info.loadSeconds;
    return OverviewWords::tr("in %1, %2/s")
        .arg(escapedHtml(seconds), escapedHtml(formatBytes(static_cast<int64_t>(rate))));
}

/// The steps of the requested part. The trace may contain others, whose marks reach into that part.
std::vector<Step> askedSteps(const Trace &trace)
{
    std::vector<Step> steps = trace.steps;
    std::erase_if(steps, [&](const Step &step) {
        if (const auto &numbers = trace.info.partSteps)
            return step.number < numbers->begin || step.number > numbers->end;
        return step.span.clipped(trace.askedSpan()).empty();
    });
    return steps;
}

QString ofTrace(const Trace &trace)
{
    const TraceInfo &info = trace.info;
    const auto lanes = [&](LaneKind kind) {
        return static_cast<uint64_t>(std::count_if(trace.lanes.begin(), trace.lanes.end(),
                                                   [kind](const Lane &lane) { return lane.kind == kind; }));
    };
    QString rows = propertyRow(OverviewWords::tr("Format"), escapedHtml(info.format));
    rows += propertyRow(OverviewWords::tr("Size"), sizeText(info));
    rows += propertyRow(OverviewWords::tr("Length"), escapedHtml(formatDuration(trace.askedSpan().duration())));
    const Ns first = info.recorded == TimeSpan{} ? trace.span.begin : info.recorded.begin;
    if (const std::string generated = info.text("riffle.generated"); !generated.empty())
        rows += propertyRow(OverviewWords::tr("Generated"), escapedHtml(generated));
    else if (info.baseTimeNs)
        rows += propertyRow(OverviewWords::tr("Recorded"),
                            escapedHtml(formatUnixTime(*info.baseTimeNs + first, 1'000'000'000)));
    if (info.rank)
        rows += propertyRow(OverviewWords::tr("Rank"),
                            info.worldSize ? OverviewWords::tr("%1 of %2").arg(*info.rank).arg(*info.worldSize)
                                           : QString::number(*info.rank));
    rows += propertyRow(OverviewWords::tr("Events"), count(info.events));
    rows += propertyRow(OverviewWords::tr("Slices"), count(trace.sliceCount()));
    rows += propertyRow(OverviewWords::tr("Streams"), count(lanes(LaneKind::Stream)));
    rows += propertyRow(OverviewWords::tr("Threads"), count(lanes(LaneKind::Thread)));
    if (const std::vector<Step> steps = askedSteps(trace); !steps.empty())
        rows += propertyRow(
            OverviewWords::tr("Steps"),
            OverviewWords::tr("%1 (#%2 to #%3)").arg(steps.size()).arg(steps.front().number).arg(steps.back().number));
    if (info.part)
        rows +=
            propertyRow(OverviewWords::tr("Read"), OverviewWords::tr("only the requested part and what belongs to it"));
    const uint64_t lost = trace.report.total(Severity::Lost);
    const uint64_t mended = trace.report.total(Severity::Repaired);
    rows += propertyRow(OverviewWords::tr("Import"),
                        lost + mended == 0 ? OverviewWords::tr("nothing lost")
                                           : OverviewWords::tr("%1 lost, %2 repaired").arg(count(lost), count(mended)));
    rows += propertyRow(OverviewWords::tr("Opened"), openedText(info));
    return QStringLiteral(
               "<p style=\"margin:8px 0 4px 0\"><b>%1</b></p><table cellspacing=\"0\" cellpadding=\"1\">%2</table>")
        .arg(QFileInfo(toQString(info.path)).fileName().toHtmlEscaped(), rows);
}

} // namespace

QString overviewHtml(const TraceSet &traces)
{
    QString html =
        QStringLiteral("<p style=\"color:gray\">%1</p>")
            .arg(OverviewWords::tr("Click a slice to see what it is, what it was called with and where it came from."));
    for (const LoadedTrace &member : traces.loaded())
        html += ofTrace(*member.trace);
    return html;
}

} // namespace riffle
