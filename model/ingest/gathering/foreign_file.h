// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace riffle {

class SniffedFile;

/// True if a file is a zip or tar archive (plain, gzip or zstd), which contains files of their own. A gzip or zstd
/// archive of one text is none.
bool isFileArchive(const SniffedFile &file);

/// Returns a sentence that says why a file does not belong to a set of traces and memory files; empty if it may belong.
/// The content decides as it does in the table of formats. What would be read as Chrome JSON, which has no mark of its
/// own, must begin like JSON and name something that only traces have.
std::string whyForeign(const SniffedFile &file);

} // namespace riffle
