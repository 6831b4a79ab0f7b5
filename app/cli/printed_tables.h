// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace riffle::cli {

/// The options of commands that print several tables.
struct TablesOptions {
    std::string format = "table", unit;
    int64_t limit = -1; ///< of rows per table; negative for all
    bool all = false;   ///< also hidden columns

    void addTo(CLI::App &command);
};

/// The words of views, each at its first place only.
std::vector<std::string> withoutRepeats(const std::vector<std::string> &words);
/// Prints tables one below the other; as JSON, one object with a list per table. `sentences` stand above tables for
/// people and are printed as "notes" in JSON; null for commands that have none.
void printTables(const std::vector<ResultTable> &tables, const TablesOptions &options,
                 const std::vector<std::string> *sentences = nullptr);

} // namespace riffle::cli
