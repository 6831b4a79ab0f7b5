// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/base/result.h"
#include "model/ingest/importers.h"
#include "model/trace/memory/memory_timeline.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace riffle::cli {

struct OpenOptions;

/// The options for printing a memory file.
struct MemoryQuestion {
    std::string at;   ///< see parsePointMoment(); empty for the peak
    std::string by;   ///< empty for the default grouping of the kind of file
    std::string rank; ///< for logs, only the rank with this number or folder name
    std::string format = "table";
    std::string picture;             ///< file for a picture instead of a table; empty to write none
    std::vector<std::string> inputs; ///< all files that the command reads; the picture replaces none of them
    int64_t limit = -1;              ///< maximum number of rows; 0 for all rows, negative for the format's default
};

/// Returns the kind of a memory file. Everything that is no timeline or log counts as a snapshot, whose reader then
/// says what the file is.
FileKind memoryKind(const std::string &path);

/// Prints what a snapshot contains, as "memory info" does, and returns the exit code. Only the store options of `open`
/// are used.
int snapshotInfo(const std::string &path, const std::string &format, const OpenOptions &open);
/// Print what a memory timeline or memory log contains, or the answer to a question. Return the exit code.
int otherMemoryInfo(const std::string &path, const MemoryQuestion &question);
int otherMemoryAnswer(const std::string &path, const MemoryQuestion &question);

/// The same for one kind of file.
int timelineInfo(const std::string &path, const MemoryQuestion &question);
int timelineAnswer(const std::string &path, const MemoryQuestion &question);
int logInfo(const std::string &path, const MemoryQuestion &question);
int logAnswer(const std::string &path, const MemoryQuestion &question);

/// Prints a table in the requested format, up to the limit of rows.
void printMemoryTable(const ResultTable &table, const MemoryQuestion &question);
/// The JSON members "damage" and "damage_offset", which say why the reading stopped early, followed by a comma.
std::string jsonDamage(const std::optional<Error> &damage);
/// A JSON array of problems with their counts and first offsets.
std::string jsonTroubles(const std::vector<FileTrouble> &troubles);
/// The exit code for an error.
int codeOf(const Error &error);

} // namespace riffle::cli
