// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/look/as_of_label.h"

#include "views/common/look/qt_text.h"

namespace riffle {

AsOfLabel::AsOfLabel(QWidget *parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    hide();
}

void AsOfLabel::say(const AsOf &asOf)
{
    const QString goesOn = tr("The recording goes on. What is shown here counts only what was complete at this time, "
                              "and follows about once a second, or less often if it takes longer to compute.");
    const QString isPart = tr("The recording is long, so that only its newest part counts here. The timeline, the "
                              "search and SQL have all of it.");
    QStringList said;
    if (asOf.unixNs)
        said += goesOn;
    if (asOf.newest)
        said += isPart;
    if (asOf.newest && !asOf.goesOn)
        said += tr("“Read again” (F5) counts all of it.");
    setToolTip(wrappedHtml(said.join(QLatin1Char(' '))));
    setText(asOfText(asOf));
    setVisible(!text().isEmpty());
}

} // namespace riffle
