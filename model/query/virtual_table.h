// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_run.h"
#include "model/query/query_table.h"

#include <optional>
#include <vector>

struct sqlite3;

namespace riffle {

/// The state that the tables of one connection share.
struct QuerySource {
    std::optional<SetFacts> traces; ///< what the files are made of, in a query about traces
    QueryFiles files;
    QueryRun *run = nullptr; ///< set while a query runs
    bool declaring = false;  ///< true while the columns of a table are declared to SQLite
};

/// Registers a table with a connection under its name. It is read-only and needs no CREATE VIRTUAL TABLE. `source` must
/// outlive the connection.
void addTable(sqlite3 *connection, const QueryTable &table, QuerySource &source);

} // namespace riffle
