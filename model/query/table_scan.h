// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_plan.h"
#include "model/query/query_run.h"
#include "model/query/query_table.h"

#include <string>
#include <variant>

namespace riffle {

/// What a query compares a column with: as SQLite has it. NULL and blobs are monostate: nothing is derived from them.
using QueryValue = std::variant<std::monostate, int64_t, double, std::string_view>;

/// Walks over the rows of a table in all traces. It leaves out rows that cannot be wanted, as far as the plan helps;
/// SQLite looks at what comes again, so that a scan may deliver too much, but never too little.
class TableScan {
public:
    TableScan(const QueryTable &table, const std::vector<QueryTrace> &traces, QueryRun *const &run)
        : m_table(table)
        , m_traces(traces)
        , m_run(run)
    {
    }
    virtual ~TableScan() = default;

    /// Starts over; the first row is come to by next().
    virtual void begin(const QueryPlan &plan, std::span<const QueryValue> values);
    /// Stands on the next row; false at the end, or when the query was stopped or has failed.
    virtual bool next();

    QueryRow &row() { return m_row; }
    const QueryTable &table() const { return m_table; }

protected:
    /// Looked at another row: now and then, says so, and sees whether to stop.
    bool mayGoOn();
    /// These rows were looked at only to put them in order.
    void notCounted(uint64_t rows) { m_seen -= rows; }
    QueryRun &run() const { return *m_run; }

private:
    struct TracedRange {
        uint32_t trace;
        RowRange rows;
    };
    enum Answer : uint8_t { Unknown, No, Yes };
    /// A column of strings against what it is compared with. The answer for a string is found once.
    struct TextTest {
        uint8_t column;
        QueryPlan::Compare compare;
        std::string wanted;
        uint32_t id = 0;             ///< Equal: in the trace that is scanned
        std::vector<Answer> answers; ///< else: by string id of that trace
    };

    bool take(const QueryPlan::Term &term, const QueryValue &value);
    void collectRanges(uint32_t trace);
    void narrowBy(uint32_t column, const QueryTrace &trace, RowRange &range);
    void enterTrace(uint32_t trace);
    void rewind();
    bool accepts();
    bool nextInRanges();
    void orderRows(uint32_t column);

    const QueryTable &m_table;
    const std::vector<QueryTrace> &m_traces;
    QueryRun *const &m_run; ///< of the engine: another one for each query
    QueryRow m_row;
    std::vector<QueryBounds> m_bounds; ///< one a column
    std::vector<TextTest> m_tests;
    std::vector<TracedRange> m_ranges;
    std::vector<RowRange> m_found; ///< scratch of collectRanges()
    size_t m_range = 0;            ///< index of the range that is walked over
    uint32_t m_nextRow = 0;
    std::vector<uint64_t> m_ordered; ///< trace << 32 | row, when there is an order
    size_t m_nextOrdered = 0;
    bool m_isOrdered = false;
    uint64_t m_seen = 0;
};

} // namespace riffle
