// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/chart/cell_card.h"

namespace riffle {

void CellCard::say(const QStringList &lines, QPoint at, const QRect &bounds, const QRect &avoid)
{
    CardText text;
    text.heading = lines.value(0);
    for (const QString &line : lines.mid(1)) {
        const qsizetype tab = line.indexOf(QLatin1Char('\t'));
        if (tab < 0)
            text.lines.append({{}, line, {}});
        else
            text.lines.append({line.left(tab), line.mid(tab + 1), {}});
    }
    showText(std::move(text), at, bounds, avoid);
}

} // namespace riffle
