// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/look/qt_text.h"

#include "model/base/format.h"

#include <QTextBoundaryFinder>
#include <QVector>

#include <algorithm>
#include <cstdlib>

namespace riffle {

QString bytesText(int64_t bytes) { return toQString(formatBytes(bytes)); }
QString bytesText(uint64_t bytes) { return bytesText(static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX))); }

QString exactBytesText(int64_t bytes)
{
    const QString rounded = bytesText(bytes);
    return bytes > -1024 && bytes < 1024 ? rounded
                                         : rounded + QStringLiteral(" (%1\u00a0B)").arg(toQString(formatCount(bytes)));
}

QString singleLine(const QString &text, qsizetype limit)
{
    QString out = text.left(limit);
    if (!out.isEmpty() && out.back().isHighSurrogate())
        out.chop(1);
    for (QChar &c : out)
        if (c.category() == QChar::Other_Control || c == QChar::LineSeparator || c == QChar::ParagraphSeparator)
            c = u' ';
    return out;
}

namespace {

/// The positions between whole graphemes, from 0 to the end.
QVector<qsizetype> cutsOf(const QString &text)
{
    QVector<qsizetype> cuts{0};
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, text);
    while (finder.toNextBoundary() > 0)
        cuts.append(finder.position());
    return cuts;
}

/// The ellipsis of a text that is nearest to its middle; -1 if it has none.
qsizetype ellipsisIn(const QString &text)
{
    qsizetype best = -1;
    for (qsizetype at = text.indexOf(QChar(0x2026)); at >= 0; at = text.indexOf(QChar(0x2026), at + 1))
        if (best < 0 || std::abs(2 * at - text.size()) < std::abs(2 * best - text.size()))
            best = at;
    return best;
}

} // namespace

QString elided(const QString &text, const QFontMetrics &metrics, int width)
{
    if (metrics.horizontalAdvance(text) <= width)
        return text;
    const QString ellipsis(QChar(0x2026));
    if (metrics.horizontalAdvance(ellipsis) > width)
        return {};
    // A text that was shortened before loses more around that place, so that it does not get a second ellipsis.
    const qsizetype before = ellipsisIn(text);
    const QString left = before < 0 ? text : text.left(before), right = before < 0 ? QString() : text.mid(before + 1);
    const QVector<qsizetype> cutsLeft = cutsOf(left), cutsRight = cutsOf(right);
    const qsizetype all = cutsLeft.size() + cutsRight.size() - 2;
    const auto kept = [&](qsizetype graphemes) {
        const qsizetype fromLeft = all > 0 ? graphemes * (cutsLeft.size() - 1) / all : 0;
        return left.left(cutsLeft[fromLeft]) + ellipsis +
               right.mid(cutsRight[cutsRight.size() - 1 - (graphemes - fromLeft)]);
    };
    qsizetype fits = 0;
    qsizetype tooMany = all + 1;
    while (tooMany - fits > 1) {
        const qsizetype middle = (fits + tooMany) / 2;
        if (metrics.horizontalAdvance(kept(middle)) <= width)
            fits = middle;
        else
            tooMany = middle;
    }
    return kept(fits);
}

QString wrappedHtml(const QString &text, qsizetype columns)
{
    QStringList lines;
    for (QStringView rest : QStringView(text).split(u'\n')) {
        while (rest.size() > columns) {
            qsizetype end = columns;
            while (end > columns / 2 && !QStringView(u" ,<>(){}:;/").contains(rest[end - 1]))
                --end;
            if (end <= columns / 2)
                end = rest[columns - 1].isHighSurrogate() ? columns - 1 : columns;
            lines += rest.left(end).toString().toHtmlEscaped();
            rest = rest.mid(end);
        }
        lines += rest.toString().toHtmlEscaped();
    }
    return QStringLiteral("<p style=\"white-space:pre\">%1</p>").arg(lines.join(QLatin1String("<br>")));
}

} // namespace riffle
