// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/analysis/summary/summary.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace riffle {

/// Answers SQL queries over the traces of a set, or over snapshots. Their columns are read-only tables of SQLite,
/// without a copy. A query can only read: it cannot write, attach files, change settings or load code. Thread-safe; one
/// query runs at a time.
class QueryEngine {
public:
    struct Limits {
        size_t rows = SIZE_MAX;             ///< further rows are not read; a note in the table says so
        uint64_t bytes = uint64_t{2} << 30; ///< of memory, for each of the answer, SQLite, and rows put in order
        std::optional<std::chrono::milliseconds> time = std::nullopt; ///< a query that takes longer is stopped
    };
    /// Receives an answer piece by piece, each with the same columns. Returns false to stop the query.
    using Sink = std::function<bool(ResultTable piece)>;

    explicit QueryEngine(SetFacts facts);
    explicit QueryEngine(std::vector<std::shared_ptr<const SnapshotFacts>> snapshots);
    ~QueryEngine();
    QueryEngine(const QueryEngine &) = delete;
    QueryEngine &operator=(const QueryEngine &) = delete;

    /// Returns the answer to one SELECT. An Error that SQLite found has its message, and in `offset` the byte of the
    /// query; the kind is Question if the query is at fault. In the progress, `events` counts the rows that were read;
    /// bytesDone and bytesTotal are numbers of rows of the first scan.
    Result<ResultTable> run(const std::string &sql, const Limits &limits, const Task &task);
    /// Passes the rows to `sink` as they are found, so the size of the answer is not limited. Returns the rows that are
    /// left, with the notes. A column that turns out to hold other values than before changes its kind between pieces.
    Result<ResultTable> stream(const std::string &sql, const Limits &limits, const Task &task, const Sink &sink);

private:
    struct Connection;
    std::mutex m_mutex;
    std::unique_ptr<Connection> m_connection;
};

} // namespace riffle
