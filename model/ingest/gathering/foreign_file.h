// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace riffle {

class SniffedFile;

/// True if a file is a zip or tar archive (plain, gzip or zstd), which contains files of their own. A gzip or zstd
/// archive of one text is none.
bool isFileArchive(const SniffedFile &file);
bool isFileArchive(const std::filesystem::path &path);
/// The archive that a path leads into, as "run.zip/rank0.json" does; empty if it leads into none.
std::filesystem::path archiveAbove(const std::filesystem::path &path);

/// Returns a sentence that says why a file does not belong to a set of traces and memory files; empty if it may belong.
/// The content decides as it does in the table of formats. What would be read as Chrome JSON, which has no mark of its
/// own, must begin like JSON and name something that only traces have.
std::string whyForeign(const SniffedFile &file);

/// True if a path tells a rank and ends like a file of a set, so that one without content is a loss. The text that a
/// rank printed ("rank0.log") is often empty, and counts as no such file.
bool isNamedLikeRank(const std::string &path);

} // namespace riffle
