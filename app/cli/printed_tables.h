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
    std::vector<std::string> views; ///< their words; those to print if none are given
    std::string format = "table", unit;
    int64_t limit = -1; ///< of rows per table; negative for all
    bool all = false;   ///< also hidden columns

    /// `known` are the words of all views.
    void addTo(CLI::App &command, const std::vector<std::string> &known);
    /// True if all views are known, which become unique then; otherwise complains.
    bool checkViews(const std::vector<std::string> &known);
};

/// The words of a table of views.
template <typename Views>
std::vector<std::string> wordsOf(const Views &views)
{
    std::vector<std::string> words;
    for (const auto &view : views)
        words.emplace_back(view.word);
    return words;
}

/// Prints tables one below the other; as JSON, one object with a list per table. `sentences` stand above tables for
/// people and are printed as "notes" in JSON; null for commands that have none.
void printTables(const std::vector<ResultTable> &tables, const TablesOptions &options,
                 const std::vector<std::string> *sentences = nullptr);

} // namespace riffle::cli
