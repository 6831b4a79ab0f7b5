// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDate>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <optional>

namespace riffle {

/// Files that were opened together, as the list of recent files shows them.
struct RecentSet {
    QStringList files; ///< absolute paths of what the user named: files, a folder, an archive, or files in archives
    int ranks = 0;     ///< the number of traces in them
    int others = 0;    ///< the number of memory files in them
    QDate date;        ///< when the newest file was written
    qint64 bytes = 0;

    /// "8 ranks of run42", or the name of the only file, folder or archive.
    QString title() const;
    /// "2025-11-03 · 14.2 GiB"
    QString detail() const;
    /// The names of files that are not there any more.
    QStringList missing() const;
    /// True if both have the same files, in any order.
    bool isSameAs(const RecentSet &other) const;

    QJsonObject toJson() const;
    /// Nothing if the object has no files.
    static std::optional<RecentSet> fromJson(const QJsonObject &object);
};

} // namespace riffle
