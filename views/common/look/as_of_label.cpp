// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/look/as_of_label.h"

#include "views/common/look/qt_text.h"

#include <QDateTime>

namespace riffle {

QString timeOfDay(int64_t unixNs)
{
    return QDateTime::fromMSecsSinceEpoch(unixNs / 1'000'000).toString(QStringLiteral("HH:mm:ss"));
}

AsOfLabel::AsOfLabel(QWidget *parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setToolTip(wrappedHtml(tr("The recording goes on. What is shown here counts only what was complete at this time, "
                              "and follows about once a second, or less often if it takes longer to compute.")));
    hide();
}

void AsOfLabel::say(std::optional<int64_t> asOf)
{
    setText(asOf ? tr("as of %1").arg(timeOfDay(*asOf)) : QString());
    setVisible(asOf.has_value());
}

} // namespace riffle
