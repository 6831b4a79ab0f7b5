// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"
#include "model/base/result.h"
#include "model/ingest/importer.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>

namespace riffle::cli {

/// What every command ends with.
enum ExitCode : int { Good = 0, Unreadable = 1, Usage = 2, WithLosses = 3, LimitExceeded = 4, CheckFailed = 5 };

/// What all ranges of time look like, for the help.
inline constexpr const char *kRangeForm = "two times after its first event as in 10ms:250ms, with min, s, ms, us or ns "
                                          "(s without); one may be left out";

/// How a trace is opened; the options that all commands share.
struct OpenOptions {
    std::string range;
    std::string steps;
    std::string memoryLimit = "4G";
    std::string inflateLimit = "1T";
    std::string storeLimit = "20G";
    int threads = 0;
    bool noStore = false;

    /// `rangeName`: what the range option is called; slices has a --range of its own.
    void addTo(CLI::App &command, const std::string &rangeName);
};

/// For options that count rows.
CLI::Validator rowCount();

/// What the options mean; the Error is one of usage.
Result<ImportOptions> importOptions(const OpenOptions &options);

/// Which slices are steps, and which of them count: options of commands that ask about steps.
struct StepOptions {
    std::string mark;
    bool withoutFirst = false;

    void addTo(CLI::App &command);
    /// The request. A part is read by the profiler's marks: steps of another mark are taken out of `open` and asked of
    /// all that is read. The Error is one of usage.
    Result<ScopeRequest> take(OpenOptions &open) const;
    /// That what was asked for is there.
    Result<void> find(const SetFacts &facts, const ScopeRequest &request) const;
};

/// A trace, and what is left to do once its answer is printed: storing its columns for the next time.
struct OpenedTrace {
    std::shared_ptr<const Trace> trace; ///< null: the error is printed
    std::function<void()> store;        ///< empty when there is nothing to store
};

/// Opens a trace as the options say; prints the error and sets `code` when it cannot.
OpenedTrace openTrace(const std::string &path, const OpenOptions &options, int &code);
/// Several, as ranks of one job, whose range counts from the first event of them all; none, with an error printed, when
/// one of them cannot be opened. `code` tells of losses.
struct OpenedTraces {
    std::vector<std::shared_ptr<const Trace>> traces;
    std::vector<std::function<void()>> stores;

    void store() const;
};
OpenedTraces openTraces(const std::vector<std::string> &paths, const OpenOptions &options, int &code);
/// Good, or WithLosses when the import lost something.
int exitCodeOf(const Trace &trace);
/// "4G", "512M", "1000" to bytes.
std::optional<uint64_t> parseBytes(const std::string &text);

void addInfoCommand(CLI::App &app, int &code);
void addSlicesCommand(CLI::App &app, int &code);
void addSummaryCommand(CLI::App &app, int &code);
void addReportCommand(CLI::App &app, int &code);
void addSqlCommand(CLI::App &app, int &code);
void addRecordCommand(CLI::App &app, int &code);
void addCheckCommand(CLI::App &app, int &code);
void addConvertCommand(CLI::App &app, int &code);
void addTrimCommand(CLI::App &app, int &code);
void addControlCommand(CLI::App &app, int &code);
void addMemoryCommand(CLI::App &app, int &code);

} // namespace riffle::cli
