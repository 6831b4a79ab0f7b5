// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/base/result.h"
#include "model/trace/memory/memory_timeline.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace riffle::cli {

struct OpenOptions;

/// What may be asked of a file of memory that is no snapshot.
struct MemoryQuestion {
    std::string at;   ///< see parsePointMoment(); empty: the peak
    std::string by;   ///< empty: what fits the kind
    std::string rank; ///< of logs: only folders of this name or number
    std::string format = "table";
    std::string picture; ///< where to write the picture of a page that holds nothing else; empty: nowhere
    int64_t limit = -1;  ///< rows; 0: all; below: as many as fit the format
};

/// Kinds of files, by what is in them.
enum class MemoryKind : uint8_t { Snapshot, Timeline, Log };
MemoryKind memoryKind(const std::string &path);

/// Prints what a snapshot holds, as "memory info" does, and returns the exit code. Of `open` what is about the store
/// counts.
int snapshotInfo(const std::string &path, const std::string &format, const OpenOptions &open);
/// Print what a file that is no snapshot holds, or the answer, and return the exit code.
int otherMemoryInfo(const std::string &path, const MemoryQuestion &question);
int otherMemoryAnswer(const std::string &path, const MemoryQuestion &question);

/// The same of each kind.
int timelineInfo(const std::string &path, const MemoryQuestion &question);
int timelineAnswer(const std::string &path, const MemoryQuestion &question);
int logInfo(const std::string &path, const MemoryQuestion &question);
int logAnswer(const std::string &path, const MemoryQuestion &question);

/// The first rows of a table, as the limit and the format say.
void printMemoryTable(const ResultTable &table, const MemoryQuestion &question);
/// As JSON text: an array of texts, and what ended the reading: "damage" and "damage_offset", with commas behind.
std::string jsonTextList(const std::vector<std::string> &texts);
std::string jsonDamage(const std::optional<Error> &damage);
/// As JSON text: an array of what was odd, with counts and first offsets.
std::string jsonTroubles(const std::vector<FileTrouble> &troubles);
/// The exit code for an error.
int codeOf(const Error &error);

} // namespace riffle::cli
