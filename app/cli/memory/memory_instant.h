// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/memory/memory_kinds.h"
#include "app/cli/memory/snapshot_opening.h"
#include "model/analysis/memory/alive/memory_instant.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/table/result_table.h"
#include "model/base/result.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace riffle::cli {

/// What may be asked of the instants of snapshots, beside the MemoryQuestion.
struct InstantQuestion {
    std::optional<int> device; ///< its number in the file; nothing: all
    bool host = false;         ///< of the host's pinned memory
    std::string rules;         ///< a file of rules for categories; empty: those of the program
    std::string unit;          ///< B, KiB, MiB or GiB for all bytes that people see; empty: as fits each

    void addTo(CLI::App &command);
};

/// Prints what is alive in snapshots at an instant, a device behind the other; the exit code.
int instantAnswer(const std::vector<std::string> &paths, const MemoryQuestion &question, const InstantQuestion &instant,
                  const StoreUse &use);
/// "stack, module, … or device"; `each`: and rows that are not put together.
std::string groupingWords(bool each);

/// Adds `rules` to `memory`, and `diff`.
void addMemoryRulesCommand(CLI::App &memory);
void addMemoryDiffCommand(CLI::App &memory, std::shared_ptr<StoreUse> use, int &code);

/// Prints a table; of one with more rows than the limit those of most weight, the bytes where there are no weights. In
/// a tree a row must not have more than the one around it.
void printLargestRows(ResultTable table, const MemoryQuestion &question, const std::string &unit,
                      const std::vector<int64_t> &weights = {});

/// The rows of another table with the same columns behind those of this one; notes, too.
void appendTable(ResultTable &table, ResultTable &&more);
/// A column of texts, the same in every row, behind the first one, which a tree is indented in.
void addSecondColumn(ResultTable &table, const char *key, const char *title, const std::string &text, bool hidden);

/// What allocations are for, by the rules that are asked for.
Result<MemoryCategories> categoriesOf(const SnapshotFacts &facts, const std::string &rules);

/// The instants of a moment on the devices that are asked for, those that have it. Where none is asked for, the number
/// of an event is that of an event of the first device with a history.
Result<std::vector<MemoryInstant>> instantsAt(const SnapshotFacts &facts, const InstantQuestion &instant,
                                              const MemoryMoment &moment);

} // namespace riffle::cli
