// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/hang/hang_html.h"

#include "model/analysis/ranks/hang_text.h"
#include "model/base/format.h"
#include "model/base/shown_text.h"
#include "views/common/look/qt_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <string>
#include <vector>

namespace riffle {

namespace {

constexpr size_t kMostFrames = 12;   ///< of a stack
constexpr size_t kMostMembers = 200; ///< groups of ranks that did the same
constexpr size_t kMostNotes = 50;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(riffle::Hang)
};

QString heading(const QString &text) { return QStringLiteral("<h4>%1</h4>").arg(text.toHtmlEscaped()); }

QString paragraph(const std::string &text)
{
    return QStringLiteral("<p style=\"margin:4px 0\">%1</p>").arg(escapedHtml(shownText(text)));
}

QString stackHtml(const HangReport &report, const AlikeMembers &alike)
{
    QString html;
    const auto dump = static_cast<size_t>(alike.one.dump);
    for (const uint32_t frame : alike.frames)
        html += QStringLiteral("<br>&nbsp;&nbsp;&nbsp;&nbsp;<a href=\"frame:%1:%2\">%3</a>")
                    .arg(dump)
                    .arg(frame)
                    .arg(escapedHtml(frameText(*report.dumps[dump], frame)));
    if (alike.lacksStack)
        html += QStringLiteral("<br>&nbsp;&nbsp;&nbsp;&nbsp;<i>%1</i>").arg(Words::tr("no stack was recorded"));
    return html;
}

QString notesHtml(const HangReport &report)
{
    QString html;
    if (!report.missing.empty())
        html += paragraph("No dump of " + ranksText(report.missing) + " was read.");
    for (size_t at = 0; at < std::min(report.remarks.size(), kMostNotes); ++at)
        html += paragraph(report.remarks[at]);
    if (report.remarks.size() > kMostNotes)
        html += paragraph(
            formatCounted(static_cast<int64_t>(report.remarks.size() - kMostNotes), "more note is", "more notes are") +
            " printed by riffle-cli hang.");
    return html.isEmpty() ? html : heading(Words::tr("What limits the answer")) + html;
}

} // namespace

QString divergenceHtml(const HangReport &report, const Divergence &found)
{
    QString html = QStringLiteral("<h3>%1</h3>").arg(escapedHtml(verdictText(found)));
    html += paragraph(std::string(divergenceName(found.kind)) + ", " + std::string(surenessName(found.sureness)) +
                      ": " + placeText(found));
    html += heading(Words::tr("What each rank did"));
    const std::vector<AlikeMembers> members = alikeMembers(report, found, kMostFrames);
    for (size_t at = 0; at < std::min(members.size(), kMostMembers); ++at)
        html += QStringLiteral("<p style=\"margin:4px 0\"><b>%1</b>: %2%3</p>")
                    .arg(escapedHtml(ranksText(members[at].ranks)), escapedHtml(members[at].doing),
                         stackHtml(report, members[at]));
    if (members.size() > kMostMembers)
        html += paragraph(std::to_string(members.size() - kMostMembers) +
                          " more kinds of members are printed by riffle-cli hang.");
    if (!found.evidence.empty())
        html += heading(Words::tr("Evidence"));
    for (const std::string &sentence : found.evidence)
        html += paragraph(sentence);
    return html + notesHtml(report);
}

QString noDivergenceHtml(const HangReport &report)
{
    if (report.dumps.empty())
        return QStringLiteral("<h3>%1</h3>").arg(Words::tr("No dump could be compared")) + notesHtml(report);
    return QStringLiteral("<h3>%1</h3>").arg(Words::tr("No divergence")) + paragraph(noDivergenceText(report)) +
           notesHtml(report);
}

std::optional<LinkedFrame> frameOfLink(const HangReport &report, const QString &link)
{
    const QStringList parts = link.split(QLatin1Char(':'));
    if (parts.size() != 3 || parts.front() != QLatin1String("frame"))
        return std::nullopt;
    const LinkedFrame place{parts[1].toULongLong(), parts[2].toUInt()};
    if (place.dump >= report.dumps.size() || place.frame >= report.dumps[place.dump]->frames.size())
        return std::nullopt;
    return place;
}

} // namespace riffle
