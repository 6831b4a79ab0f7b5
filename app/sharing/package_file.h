// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/output_file.h"
#include "model/base/result.h"
#include "model/base/task.h"

#include <QByteArray>
#include <QString>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace riffle {

/// A package is a POSIX tar archive without folders: a session file, kPackageSession, and the files that it names. It
/// records neither owners nor dates. Its name ends in ".rifflepack".
inline constexpr const char *kPackageSession = "session.riffle";

bool isNamedLikePackage(const QString &path);
/// True for names that a package may contain: ASCII letters, digits, "-", "_" and inner dots, at most 99 of them.
bool isPackageEntry(const QString &name);

/// Writes a package, which appears once it is complete.
class PackageWriter {
public:
    /// `inputs`: see OutputFile::create().
    static Result<PackageWriter> create(const QString &path, const std::vector<std::string> &inputs);

    /// Adds a file under a name that is no entry yet. A file that changes meanwhile is an error.
    Result<void> add(const QString &name, const QString &file, const Task &task);
    Result<void> place();

private:
    explicit PackageWriter(std::unique_ptr<OutputFile> out) : m_out(std::move(out)) {}

    std::unique_ptr<OutputFile> m_out;
    std::set<QString> m_names;
};

/// Unpacks a package into a folder, which must exist and be empty. Whatever the package says, only files directly in
/// this folder are written, and no more bytes than the package has. Returns the hash of the package.
Result<QByteArray> unpackPackage(const QString &path, const QString &folder, const Task &task);

} // namespace riffle
