// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_run.h"
#include "model/query/query_table.h"

#include <vector>

struct sqlite3;

namespace riffle {

/// The state that the tables of one connection share.
struct QuerySource {
    SetFacts facts;
    std::vector<QueryTrace> traces;
    QueryRun *run = nullptr; ///< set while a query runs
    bool declaring = false;  ///< true while SQLite is given the columns of a table
};

/// Registers a table with a connection under its name; it is read-only and exists without being created. `source` must
/// outlive the connection.
void addTable(sqlite3 *connection, const QueryTable &table, QuerySource &source);

} // namespace riffle
