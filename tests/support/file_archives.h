// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace riffle::test {

/// The paths and contents of files in an archive.
using ArchiveContents = std::vector<std::pair<std::string, std::string>>;

/// A tar archive of these files.
std::string tarOf(const ArchiveContents &files);
/// True if this build opens archives of several files; otherwise, tests of them are skipped.
bool opensFileArchives();

} // namespace riffle::test
