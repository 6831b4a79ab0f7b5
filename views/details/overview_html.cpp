// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/format.h"
#include "views/common/qt_text.h"
#include "views/details/details_html.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>

namespace riffle {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(riffle::TraceOverview)
};

QString escaped(std::string_view text)
{
    return toQString(text).toHtmlEscaped();
}

QString count(uint64_t number)
{
    return escaped(formatCount(static_cast<int64_t>(number)));
}

QString tableRow(const QString &key, const QString &value)
{
    return QStringLiteral("<tr><td style=\"white-space:nowrap; padding-right:10px\"><span style=\"color:gray\">%1</span></td>"
                          "<td>%2</td></tr>")
        .arg(key, value);
}

QString sizeText(const TraceInfo &info)
{
    const QString file = escaped(formatBytes(static_cast<int64_t>(info.fileBytes)));
    if (info.container == "plain" || info.textBytes == 0)
        return file;
    return Words::tr("%1 %2, %3 of text").arg(file, escaped(info.container), escaped(formatBytes(static_cast<int64_t>(info.textBytes))));
}

QString openedText(const TraceInfo &info)
{
    const auto seconds = formatDuration(static_cast<Ns>(info.loadSeconds * 1e9));
    if (info.fromStore && info.loadSeconds <= 0)
        return Words::tr("by reading the file; a copy is stored for the next time");
    if (info.fromStore)
        return Words::tr("from its stored copy in %1").arg(escaped(seconds));
    if (info.loadSeconds <= 0)
        return Words::tr("by reading the file");
    const double rate = static_cast<double>(info.textBytes) / info.loadSeconds;
    return Words::tr("in %1, %2/s").arg(escaped(seconds), escaped(formatBytes(static_cast<int64_t>(rate))));
}

/// Those that the question about a part is about; marks of others reach into it.
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
        return static_cast<uint64_t>(
            std::count_if(trace.lanes.begin(), trace.lanes.end(), [kind](const Lane &lane) { return lane.kind == kind; }));
    };
    QString rows = tableRow(Words::tr("Format"), escaped(info.format));
    rows += tableRow(Words::tr("Size"), sizeText(info));
    rows += tableRow(Words::tr("Length"), escaped(formatDuration(trace.askedSpan().duration())));
    const Ns first = info.recorded == TimeSpan{} ? trace.span.begin : info.recorded.begin;
    if (const std::string generated = info.text("riffle.generated"); !generated.empty())
        rows += tableRow(Words::tr("Generated"), escaped(generated));
    else if (info.baseTimeNs)
        rows += tableRow(Words::tr("Recorded"), escaped(formatUnixTime(*info.baseTimeNs + first, 1'000'000'000)));
    if (info.rank)
        rows += tableRow(Words::tr("Rank"), info.worldSize ? Words::tr("%1 of %2").arg(*info.rank).arg(*info.worldSize)
                                                           : QString::number(*info.rank));
    rows += tableRow(Words::tr("Events"), count(info.events));
    rows += tableRow(Words::tr("Slices"), count(trace.sliceCount()));
    rows += tableRow(Words::tr("Streams"), count(lanes(LaneKind::Stream)));
    rows += tableRow(Words::tr("Threads"), count(lanes(LaneKind::Thread)));
    if (const std::vector<Step> steps = askedSteps(trace); !steps.empty())
        rows += tableRow(Words::tr("Steps"), Words::tr("%1 (#%2 to #%3)")
                             .arg(steps.size())
                             .arg(steps.front().number)
                             .arg(steps.back().number));
    if (info.part)
        rows += tableRow(Words::tr("Read"), Words::tr("only the part that was asked for, and what belongs to it"));
    const uint64_t lost = trace.report.total(Severity::Lost);
    const uint64_t mended = trace.report.total(Severity::Repaired);
    rows += tableRow(Words::tr("Import"), lost + mended == 0
                         ? Words::tr("nothing lost")
                         : Words::tr("%1 with losses, %2 mended").arg(count(lost), count(mended)));
    rows += tableRow(Words::tr("Opened"), openedText(info));
    return QStringLiteral("<p style=\"margin:8px 0 4px 0\"><b>%1</b></p><table cellspacing=\"0\" cellpadding=\"1\">%2</table>")
        .arg(QFileInfo(toQString(info.path)).fileName().toHtmlEscaped(), rows);
}

} // namespace

QString overviewHtml(const TraceSet &traces)
{
    QString html = QStringLiteral("<p style=\"color:gray\">%1</p>")
                       .arg(Words::tr("Click a slice to see what it is, what it was called with and where it came from."));
    for (const TraceSet::Member &member : traces.members)
        html += ofTrace(*member.trace);
    return html;
}

} // namespace riffle
