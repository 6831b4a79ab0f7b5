// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/recent_set.h"

#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>

#include <algorithm>

namespace riffle {

namespace {

QString text(const char *words) { return QCoreApplication::translate("RecentSet", words); }

/// The name of the innermost folder that contains all files.
QString commonFolder(const QStringList &files)
{
    QString folder = QFileInfo(files.front()).absolutePath();
    const auto isInside = [&](const QString &file) { return file.startsWith(QDir(folder).filePath(QString())); };
    while (!std::ranges::all_of(files, isInside) && !QDir(folder).isRoot())
        folder = QFileInfo(folder).absolutePath();
    const QString name = QDir(folder).dirName();
    return name.isEmpty() ? folder : name;
}

/// True if a file is there, or the archive that its path leads into.
bool isThere(const QString &file)
{
    QString path = file;
    while (!QFileInfo::exists(path)) {
        const QString above = QFileInfo(path).absolutePath();
        if (above == path)
            return false;
        path = above;
    }
    return path == file || QFileInfo(path).isFile();
}

} // namespace

QString RecentSet::title() const
{
    const QString name = QFileInfo(files.front()).fileName();
    const int count = ranks + others;
    if (files.size() == 1)
        return count > 1 ? text("%1, %2 files").arg(name).arg(count) : name;
    const bool areRanks = ranks > 0 && others == 0;
    return (areRanks ? text("%1 ranks of %2") : text("%1 files of %2"))
        .arg(count > 0 ? count : static_cast<int>(files.size()))
        .arg(commonFolder(files));
}

QString RecentSet::detail() const
{
    QStringList parts;
    if (date.isValid())
        parts += date.toString(Qt::ISODate);
    if (bytes > 0)
        parts += toQString(formatBytes(bytes));
    return parts.join(QStringLiteral(" · "));
}

QStringList RecentSet::missing() const
{
    QStringList names;
    for (const QString &file : files)
        if (!isThere(file))
            names += QFileInfo(file).fileName();
    return names;
}

bool RecentSet::isSameAs(const RecentSet &other) const
{
    QStringList own = files, its = other.files;
    own.sort();
    its.sort();
    return own == its;
}

QJsonObject RecentSet::toJson() const
{
    return {{QStringLiteral("files"), QJsonArray::fromStringList(files)},
            {QStringLiteral("ranks"), ranks},
            {QStringLiteral("others"), others},
            {QStringLiteral("date"), date.toString(Qt::ISODate)},
            {QStringLiteral("bytes"), bytes}};
}

std::optional<RecentSet> RecentSet::fromJson(const QJsonObject &object)
{
    RecentSet set;
    for (const QJsonValue &file : object[QStringLiteral("files")].toArray())
        if (!file.toString().isEmpty())
            set.files += file.toString();
    if (set.files.isEmpty())
        return std::nullopt;
    set.ranks = object[QStringLiteral("ranks")].toInt();
    set.others = object[QStringLiteral("others")].toInt();
    set.date = QDate::fromString(object[QStringLiteral("date")].toString(), Qt::ISODate);
    set.bytes = static_cast<qint64>(object[QStringLiteral("bytes")].toDouble());
    return set;
}

} // namespace riffle
