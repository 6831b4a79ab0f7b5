// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/look/qt_text.h"

#include "model/base/format.h"

#include <QTextBoundaryFinder>
#include <QVector>

#include <algorithm>

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

QString elided(const QString &text, const QFontMetrics &metrics, int width)
{
    if (metrics.horizontalAdvance(text) <= width)
        return text;
    const QString ellipsis(QChar(0x2026));
    if (metrics.horizontalAdvance(ellipsis) > width)
        return {};
    QVector<qsizetype> cuts{0};
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, text);
    while (finder.toNextBoundary() > 0)
        cuts.append(finder.position());
    qsizetype fits = 0;
    qsizetype tooMany = cuts.size();
    while (tooMany - fits > 1) {
        const qsizetype middle = (fits + tooMany) / 2;
        if (metrics.horizontalAdvance(text.left(cuts[middle]) + ellipsis) <= width)
            fits = middle;
        else
            tooMany = middle;
    }
    return text.left(cuts[fits]) + ellipsis;
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
