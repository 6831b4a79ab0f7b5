// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/as_of.h"

#include "model/base/format.h"

#include <QCoreApplication>
#include <QDateTime>

namespace riffle {

namespace {

struct AsOfWords {
    Q_DECLARE_TR_FUNCTIONS(riffle::AsOf)
};

} // namespace

QString timeOfDay(int64_t unixNs)
{
    return QDateTime::fromMSecsSinceEpoch(unixNs / 1'000'000).toString(QStringLiteral("HH:mm:ss"));
}

QString asOfText(const AsOf &asOf)
{
    const QString newest = asOf.newest ? QString::fromStdString(formatDuration(*asOf.newest)) : QString();
    if (asOf.unixNs && asOf.newest)
        return AsOfWords::tr("as of %1, the last %2").arg(timeOfDay(*asOf.unixNs), newest);
    if (asOf.newest)
        return AsOfWords::tr("of the last %1").arg(newest);
    return asOf.unixNs ? AsOfWords::tr("as of %1").arg(timeOfDay(*asOf.unixNs)) : QString();
}

} // namespace riffle
