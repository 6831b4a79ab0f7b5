// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/memory/memory_kinds.h"
#include "app/cli/memory/snapshot_opening.h"
#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/memory/alive/memory_instant.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/table/result_table.h"
#include "model/base/result.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace riffle::cli {

/// The options for questions about an instant of snapshots, in addition to those of MemoryQuestion.
struct InstantQuestion {
    std::optional<int> device; ///< the device's number in the file; nothing for all devices
    bool host = false;         ///< show pinned memory of the host
    std::string rules;         ///< a file of category rules; empty for the built-in rules
    std::string unit;          ///< B, KiB, MiB or GiB in tables that people read; empty to choose one for each size

    void addTo(CLI::App &command);
};

/// Prints what is alive in snapshots at an instant, one device after the other. Returns the exit code.
int instantAnswer(const std::vector<std::string> &paths, const MemoryQuestion &question, const InstantQuestion &instant,
                  const StoreUse &use);
/// The allocations that are alive in a snapshot at an instant, on each requested device.
struct SnapshotInstants {
    const std::string &path;
    const SnapshotFacts &facts;
    const std::vector<MemoryInstant> &instants;
    const MemoryCategories *categories; ///< null unless requested
};
/// Opens snapshots one after the other, so that only one is in memory at a time, and passes what is alive to `take`.
/// The last one stays in `opened`. Raises `code` and prints the reason if there are losses. Returns false if a snapshot
/// cannot be opened, does not have the instant, or was passed incompletely.
bool visitInstants(const std::vector<std::string> &paths, const InstantQuestion &instant, const MemoryMoment &moment,
                   bool categorised, const StoreUse &use, OpenedFacts &opened, int &code,
                   const std::function<void(const SnapshotInstants &)> &take);
/// A table of what is alive at these instants, one device after the other; with one row per allocation if `by` is
/// empty. Sums are per device. `categories` may be null unless the table needs them.
ResultTable aliveTable(const SnapshotFacts &facts, const std::vector<MemoryInstant> &instants,
                       std::optional<MemoryGrouping> by, const MemoryCategories *categories);
/// The words for --by as a phrase: "stack, module, … or device"; includes "allocation" if `each`.
std::string groupingWords(bool each);

/// Adds the subcommand `rules` or `diff` to `memory`.
void addMemoryRulesCommand(CLI::App &memory);
void addMemoryDiffCommand(CLI::App &memory, std::shared_ptr<StoreUse> use, int &code);

/// The rows with the largest weights, or with the most bytes if there are no weights, in the order of the table; all
/// rows if the limit is 0 or less. In a tree, a row must not weigh more than its parent.
std::vector<uint32_t> largestRows(const ResultTable &table, const std::vector<int64_t> &weights, int64_t limit);

/// Prints a table. If it has more rows than the limit, prints those with the largest weights, or with the most bytes if
/// there are no weights. In a tree, a row must not weigh more than its parent.
void printLargestRows(ResultTable table, const MemoryQuestion &question, const std::string &unit,
                      const std::vector<int64_t> &weights = {});

/// Inserts a column with the same text in every row. It becomes the second column, because trees are indented in the
/// first one.
void addSecondColumn(ResultTable &table, const char *key, const char *title, const std::string &text, bool hidden);

/// The categories of allocations, guessed with the rules in a file, or with the built-in rules if `rules` is empty.
Result<MemoryCategories> categoriesOf(const SnapshotFacts &facts, const std::string &rules);

/// The instants of a moment, one for each requested device that has it. If no device is requested, an event number
/// refers to the first device with a history.
Result<std::vector<MemoryInstant>> instantsAt(const SnapshotFacts &facts, const InstantQuestion &instant,
                                              const MemoryMoment &moment);

} // namespace riffle::cli
