// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"

#include <memory>
#include <mutex>
#include <string>

namespace riffle {

/// Answers SQL over the traces of a set: their columns as read-only tables of SQLite, without a copy. A query can only
/// read: it cannot write, attach files, change settings or load code. May be asked from any thread; one query runs at a
/// time.
class QueryEngine {
public:
    struct Limits {
        size_t rows = SIZE_MAX; ///< more are not read; a note of the table says so
    };

    explicit QueryEngine(SetFacts facts);
    ~QueryEngine();
    QueryEngine(const QueryEngine &) = delete;
    QueryEngine &operator=(const QueryEngine &) = delete;

    /// The answer to one SELECT. An Error says SQLite's own message, and in `offset` at which byte of the query; its
    /// kind is Question where the query is at fault. Progress: `events` counts the rows read, the bytes are rows of the
    /// first scan.
    Result<ResultTable> run(const std::string &sql, const Limits &limits, const Task &task);

private:
    struct Connection;
    std::mutex m_mutex;
    std::unique_ptr<Connection> m_connection;
};

} // namespace riffle
