// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/ranks/rank_cells.h"

#include "views/common/look/qt_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace riffle {

namespace {

constexpr size_t kMostNotRead = 50, kMostRemarks = 8;

QString told(const char *text) { return QCoreApplication::translate("riffle::RanksPage", text); }

QString rowHtml(const QString &label, const QString &html)
{
    return QStringLiteral("<tr><td style='padding-right: 12px'>%1</td><td>%2</td></tr>")
        .arg(label.toHtmlEscaped(), html);
}

/// "0-3, 8", or at most so many ranks with a count of the others.
QString ranksText(const std::vector<int64_t> &ranks)
{
    constexpr size_t kMostRanges = 6;
    QStringList ranges;
    size_t at = 0;
    while (at < ranks.size() && ranges.size() < static_cast<qsizetype>(kMostRanges)) {
        size_t end = at + 1;
        while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
            ++end;
        ranges +=
            end - at == 1 ? QString::number(ranks[at]) : QStringLiteral("%1–%2").arg(ranks[at]).arg(ranks[end - 1]);
        at = end;
    }
    if (at < ranks.size())
        ranges += told("%1 more").arg(ranks.size() - at);
    return ranges.join(QStringLiteral(", "));
}

std::string fileName(std::string path)
{
    while (path.size() > 1 && path.back() == '/')
        path.pop_back();
    return path.substr(path.rfind('/') + 1);
}

/// A row per kind of file, with the ranks that have it.
QString foundHtml(const OpenRun &open, const Run &run)
{
    QString html;
    for (size_t kind = 0; kind < kRunFileKinds; ++kind) {
        std::vector<int64_t> ranks;
        size_t cells = 0, files = 0;
        for (const RunCell &cell : run.cells) {
            const auto readable = static_cast<size_t>(
                std::ranges::count_if(cell.files[kind], [&](FileRef file) { return open.isReadable(file); }));
            cells += readable > 0;
            files += readable;
            if (readable > 0 && cell.rank)
                ranks.push_back(*cell.rank);
        }
        if (cells == 0)
            continue;
        QString name = toQString(runFileKindName(static_cast<RunFileKind>(kind)));
        name[0] = name[0].toUpper();
        QString text = told("%1 of %2 ranks")
                           .arg(cells)
                           .arg(std::max<int64_t>(run.worldSize.value_or(0), static_cast<int64_t>(run.cells.size())));
        if (files > cells)
            text += told(", %1 files").arg(files);
        if (cells < run.cells.size() && !ranks.empty())
            text += QStringLiteral(": ") + ranksText(ranks);
        html += rowHtml(name, text.toHtmlEscaped());
    }
    return html;
}

/// The first trace of a cell that is a readable member; invalid if there is none.
TraceId traceOf(const OpenRun &open, const RunCell &cell)
{
    for (const RunFileKind kind : {RunFileKind::Trace, RunFileKind::Log})
        for (const FileRef file : cell.of(kind))
            if (open.memberOf(file).valid() && open.isReadable(file))
                return open.memberOf(file);
    return {};
}

QString pairText(const OpenRun &open, const ComparedPair &pair)
{
    if (!pair.a.cell)
        return told("%1 and %2")
            .arg(toQString(open.layout.runs[pair.a.run].title()), toQString(open.layout.runs[pair.b.run].title()));
    const RunCell &cell = open.layout.runs[pair.a.run].cells[*pair.a.cell];
    return told("%1: %2 and %3")
        .arg(toQString(cell.name()), toQString(fileName(open.files[pair.a.file.file].name)),
             toQString(fileName(open.files[pair.b.file.file].name)));
}

} // namespace

std::optional<std::pair<TraceId, TraceId>> comparedMembers(const OpenRun &open, const ComparedPair &pair)
{
    if (pair.a.cell && pair.b.cell) {
        const std::pair both(open.memberOf(pair.a.file), open.memberOf(pair.b.file));
        const bool areThere =
            both.first.valid() && both.second.valid() && open.isReadable(pair.a.file) && open.isReadable(pair.b.file);
        return areThere ? std::optional(both) : std::nullopt;
    }
    std::map<int64_t, TraceId> others; // by rank
    for (const RunCell &cell : open.layout.runs[pair.b.run].cells)
        if (const TraceId trace = cell.rank ? traceOf(open, cell) : TraceId(); trace.valid())
            others.emplace(*cell.rank, trace);
    for (const RunCell &cell : open.layout.runs[pair.a.run].cells) { // in the order of the ranks
        const auto other = cell.rank ? others.find(*cell.rank) : others.end();
        if (other == others.end())
            continue;
        if (const TraceId trace = traceOf(open, cell); trace.valid())
            return std::pair(trace, other->second);
    }
    return std::nullopt;
}

QString runHtml(const Session &session, bool offersComparison)
{
    const OpenRun &open = *session.run();
    QString html;
    if (session.shownRun() < open.layout.runs.size()) {
        const Run &run = open.layout.runs[session.shownRun()];
        html += QStringLiteral("<table>");
        if (!run.job.empty() || !run.startTime.empty())
            html += rowHtml(told("Run"), toQString(run.title()).toHtmlEscaped());
        if (run.worldSize)
            html += rowHtml(told("World size"), (run.isWorldSizeRecorded ? QString::number(*run.worldSize)
                                                                         : told("at least %1").arg(*run.worldSize)));
        html += foundHtml(open, run);
        std::vector<int64_t> missing;
        for (const RunCell &cell : run.cells)
            if (cell.isMissing() && cell.rank)
                missing.push_back(*cell.rank);
        if (run.missing > 0) {
            const QString ranks = static_cast<int64_t>(missing.size()) == run.missing
                                      ? QStringLiteral(": ") + ranksText(missing)
                                      : QString();
            html += rowHtml(told("Missing"),
                            (run.missing == 1 ? told("1 rank") : told("%1 ranks").arg(run.missing)) + ranks);
        }
        if (!run.unplaced.empty())
            html += rowHtml(told("Rank unknown"),
                            run.unplaced.size() == 1 ? told("1 file") : told("%1 files").arg(run.unplaced.size()));
        html += QStringLiteral("</table>");
        for (size_t at = 0; at < std::min(run.remarks.size(), kMostRemarks); ++at)
            html += QStringLiteral("<p>%1</p>").arg(escapedHtml(run.remarks[at].sentence));
        if (run.remarks.size() > kMostRemarks)
            html += QStringLiteral("<p>%1</p>").arg(told("%1 more remarks").arg(run.remarks.size() - kMostRemarks));
    }
    if (offersComparison)
        for (size_t pair = 0; pair < open.layout.pairs.size(); ++pair)
            if (comparedMembers(open, open.layout.pairs[pair]))
                html += QStringLiteral("<p>%1 <a href='compare:%2'>%3</a></p>")
                            .arg(pairText(open, open.layout.pairs[pair]).toHtmlEscaped())
                            .arg(pair)
                            .arg(told("Compare A | B"));
    if (!open.layout.notRead.empty()) {
        html += QStringLiteral("<p><b>%1</b></p>").arg(told("Not read: %1").arg(open.layout.notRead.size()));
        for (size_t at = 0; at < std::min(open.layout.notRead.size(), kMostNotRead); ++at) {
            const RunFile &file = open.files[open.layout.notRead[at]];
            html += QStringLiteral("<p>%1<br>%2</p>").arg(escapedHtml(fileName(file.name)), escapedHtml(file.why));
        }
        if (open.layout.notRead.size() > kMostNotRead)
            html += QStringLiteral("<p>%1</p>").arg(told("%1 more").arg(open.layout.notRead.size() - kMostNotRead));
    }
    return html;
}

} // namespace riffle
