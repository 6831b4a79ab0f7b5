// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "model/ingest/sniffed_file.h"
#include "model/trace/flight/flight_dump.h"
#include "model/trace/flight/nccl_inspector_log.h"
#include "model/trace/memory/memory_log.h"
#include "model/trace/memory/memory_snapshot.h"
#include "model/trace/memory/memory_timeline.h"
#include "model/trace/run/run_layout.h"
#include "model/trace/source_text.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace riffle {

/// The contents of a file.
enum class FileKind : uint8_t {
    Trace,
    Snapshot,
    MemoryTimeline,
    MemoryLog,
    FlightDump,   ///< the last collectives of one rank, from PyTorch's Flight Recorder
    InspectorLog, ///< the collectives of one process, from NCCL Inspector
};
/// True for the kinds about memory: snapshots, memory timelines and memory logs.
bool isAboutMemory(FileKind kind);
/// A sentence that says what to do with a file of a kind that has no page in the window; null for the others.
const char *whyNoPage(FileKind kind);

/// An imported file, of any kind.
using ImportedFile = std::variant<std::shared_ptr<const Trace>, std::shared_ptr<const MemorySnapshot>,
                                  std::shared_ptr<const MemoryTimeline>, std::shared_ptr<const MemoryLog>,
                                  std::shared_ptr<const FlightDump>, std::shared_ptr<const NcclInspectorLog>>;

/// One row of the table of formats: how to recognise and to read a file.
struct Importer {
    std::string_view name; ///< what the user calls the format
    FileKind kind = FileKind::Trace;
    RunFileKind runKind = RunFileKind::Trace; ///< the contents as a part of a run
    std::string_view endings; ///< endings that names of such files usually have, as a file dialog wants them
    bool (*recognises)(const SniffedFile &file) = nullptr;
    Result<ImportedFile> (*open)(const std::string &path, const ImportOptions &options, Task task) = nullptr;
    /// Notes the place in a job that a file tells without being read, by its first and last bytes. Null if only its
    /// path tells one.
    void (*peek)(const SniffedFile &sniffed, RunFile &file) = nullptr;
    /// Returns the source text of a trace that was opened from its store. Null if the text is that of the file itself,
    /// or of the trace's resume index (openSourceText()).
    std::shared_ptr<const SourceText> (*openText)(const std::string &path) = nullptr;
    /// Opens a trace that somebody is writing, as far as that can be told: it has no end, and something was written a
    /// moment ago. Returns null otherwise. Null for formats that are complete when they are written.
    Result<std::unique_ptr<GrowingSource>> (*follow)(const std::string &path) = nullptr;
    /// True if the texts of the events lack the names of processes and threads and the arrows, so that whoever writes
    /// the texts as a trace adds them.
    bool textLacksNames = false;
};

/// The table of formats. The first row that recognises a file reads it; the last row recognises every file.
std::span<const Importer> importers();
/// Returns the row for a file or folder. For one that cannot be read, this is the last row, which then says why.
const Importer &importerOf(const std::string &path);
const Importer &importerOf(const SniffedFile &file);
/// The same among the rows for traces: a memory file gets the row whose error says that it is no trace.
const Importer &traceImporterOf(const std::string &path);
/// Returns the usual endings of the names of all files that can be opened: "*.json", …, each of them once.
std::vector<std::string> fileEndings();

} // namespace riffle
