// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/sharing/packages.h"
#include "model/ingest/importer.h"

#include <QStringList>

namespace riffle {

struct SavedPackage {
    size_t files = 0;
    QStringList leftOut; ///< sentences about files that are not in the package
};

/// Writes a package. Files that are made for it are in a hidden folder beside it, which is removed at the end.
Result<SavedPackage> savePackage(const PackageRequest &request, const ImportOptions &options, const Task &task);

/// Unpacks a package into a folder of its own below `cache` and returns its session file. Then removes other packages,
/// those unused longest first, until the rest has at most `limitBytes`.
Result<QString> cachePackage(const QString &path, const QString &cache, qint64 limitBytes, const Task &task);

} // namespace riffle
