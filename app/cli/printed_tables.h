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

/// Prints tables one below the other; as JSON, one object with a list per table. `sentences` stand above tables for
/// people and are printed as "notes" in JSON.
void printTables(const std::vector<ResultTable> &tables, const TablesOptions &options,
                 const std::vector<std::string> &sentences = {});

} // namespace riffle::cli
