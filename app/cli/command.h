// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"
#include "model/base/result.h"
#include "model/ingest/importers.h"
#include "model/trace/run/rank_facts.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace riffle {
struct GatheredFiles;
}

namespace riffle::cli {

/// The exit codes of all commands.
enum ExitCode : int { Good = 0, Unreadable = 1, Usage = 2, WithLosses = 3, LimitExceeded = 4, CheckFailed = 5 };

/// Describes the form of a time range, for the help texts.
inline constexpr const char *kRangeForm = "two times after its first event, for example 10ms:250ms, in min, s, ms, us "
                                          "or ns (default s); either one may be left out";

/// The options that all commands share for opening a trace.
struct OpenOptions {
    std::string range;
    std::string steps;
    std::string memoryLimit = "4G";
    std::string inflateLimit = "1T";
    std::string storeLimit = "20G";
    int threads = 0;
    bool noStore = false;

    /// `rangeName` is the name of the range option. It differs for `slices`, where --range means something else.
    void addTo(CLI::App &command, const std::string &rangeName);
    /// The first option that was given and applies to traces only; null if there is none.
    const char *traceOption() const;
};

/// The files of folders and archives that a command can use; the others of the same set are left out, and said to be.
enum class Usable : uint8_t {
    Any,
    Traces,
    Ranks, ///< traces of a job's ranks: a file that is named twice counts once
    Snapshots,
    MemoryFiles, ///< snapshots, memory timelines and memory logs
    OneKind      ///< the traces, or if there are none, the snapshots
};

/// Returns the files that paths stand for (gatherFiles()), each of them once, which stay as long as this process runs,
/// and prints what was skipped. Sets `code` to WithLosses if some of that may belong to the set. If there is no file,
/// prints why, sets `code` and returns nothing.
std::optional<GatheredFiles> findFiles(const std::vector<std::string> &paths, const OpenOptions &open, int &code);
/// Replaces paths by the files that they stand for (findFiles()), which stay as long as this process runs, and prints
/// what was skipped. Sets `code` to WithLosses if some of that may belong to the set. If there is no file, prints why,
/// sets `code` and returns false.
bool gather(std::vector<std::string> &paths, Usable usable, const OpenOptions &open, int &code);
/// The same for commands that read one file; several are a usage error.
bool gatherOne(std::string &path, Usable usable, const OpenOptions &open, int &code);
/// The files that these paths are read from, and the archives that gather() got, which no output may replace.
std::vector<std::string> inputsOf(const std::vector<std::string> &paths);
/// Adds --logdir, under which users of TensorBoard know the folder of a run, as another way to write one of `paths`.
void addLogdirOption(CLI::App &command, CLI::Option *paths);
/// The worse of two exit codes.
int worseOf(int left, int right);

/// Returns the kind of all files, Snapshot or Trace, for commands that take either. An Error, which is a usage error,
/// says that they are of both kinds.
Result<FileKind> kindOfFiles(const std::vector<std::string> &paths);

/// Validates options that take a number of rows.
CLI::Validator rowCount();

/// Parses the options; an Error is a usage error.
Result<ImportOptions> importOptions(const OpenOptions &options);

/// The options that define which slices are steps and which steps count, for commands that report on steps.
struct StepOptions {
    std::string mark;
    bool withoutFirst = false;

    void addTo(CLI::App &command);
    /// Builds the request. Only the profiler's own marks allow reading just some steps. With --step-mark, the steps are
    /// therefore moved from `open` to the request, so that the whole trace is read. An Error is a usage error.
    Result<ScopeRequest> take(OpenOptions &open) const;
    /// Checks that the requested steps exist.
    Result<void> find(const SetFacts &facts, const ScopeRequest &request) const;
};

/// An open trace, and functions that store it for the next time, to be called after the output is printed.
struct InputTrace {
    std::shared_ptr<const Trace> trace; ///< null if the trace could not be opened; the error is already printed
    std::function<void()> store;        ///< stores its columns; empty if there is nothing to store
    /// Stores the small facts about its rank; empty if the cache is not used or only a part of the trace was read.
    std::function<void(const RankFacts &)> storeRank;
};

/// Opens a trace. If that fails, prints the error and sets `code`.
InputTrace openTrace(const std::string &path, const OpenOptions &options, int &code);
/// The open traces of several ranks of one job.
struct InputTraces {
    std::vector<std::shared_ptr<const Trace>> traces;
    // Per trace: InputTrace::store and storeRank, which may be empty.
    std::vector<std::function<void()>> stores;
    std::vector<std::function<void(const RankFacts &)>> rankStores;

    void store() const;
};
/// Opens several traces as the ranks of one job; a range counts from the earliest event of any trace. If a trace cannot
/// be opened, prints the error and returns no traces. `code` is set if there are errors or losses.
InputTraces openTraces(const std::vector<std::string> &paths, const OpenOptions &options, int &code);
/// Good, or WithLosses if the import lost something.
int exitCodeOf(const Trace &trace);
/// To be called after an answer: returns `code`, or Unreadable and prints why if the answer lacks something, because a
/// file shrank while it was in use (Trace::failure).
int codeAfterAnswer(const Trace &trace, int code);
int codeAfterAnswer(const TraceSet &traces, int code);
/// Parses a number of bytes such as "4G", "512M" or "1000".
std::optional<uint64_t> parseBytes(const std::string &text);

void addInfoCommand(CLI::App &app, int &code);
void addSlicesCommand(CLI::App &app, int &code);
void addSummaryCommand(CLI::App &app, int &code);
void addVerdictCommand(CLI::App &app, int &code);
void addDiffCommand(CLI::App &app, int &code);
void addReportCommand(CLI::App &app, int &code);
void addSqlCommand(CLI::App &app, int &code);
void addRecordCommand(CLI::App &app, int &code);
void addCheckCommand(CLI::App &app, int &code);
void addConvertCommand(CLI::App &app, int &code);
void addTrimCommand(CLI::App &app, int &code);
void addTailCommand(CLI::App &app, int &code);
void addControlCommand(CLI::App &app, int &code);
void addRunCommand(CLI::App &app, int &code);
void addCommCommand(CLI::App &app, int &code);
void addStragglersCommand(CLI::App &app, int &code);
void addHangCommand(CLI::App &app, int &code);
void addMemoryCommand(CLI::App &app, int &code);

} // namespace riffle::cli
