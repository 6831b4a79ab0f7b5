// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_plan.h"
#include "model/query/query_run.h"
#include "model/query/query_table.h"
#include "model/query/row_order.h"
#include "model/query/text_ranks.h"

#include <map>
#include <string>
#include <variant>

namespace riffle {

/// A value with which a query compares a column, as SQLite passes it. NULL and blobs are monostate; they do not narrow
/// a scan.
using QueryValue = std::variant<std::monostate, int64_t, double, std::string_view>;

/// Scans the rows of a table in all files. It skips rows that cannot match, as far as the plan shows this. SQLite
/// checks the delivered rows again, so a scan may deliver too many rows, but never too few.
class TableScan {
public:
    TableScan(const QueryTable &table, const QueryFiles &files, QueryRun *const &run)
        : m_table(table)
        , m_files(files)
        , m_run(run)
    {
    }
    virtual ~TableScan() = default;

    /// Starts over; next() then goes to the first row.
    virtual void begin(const QueryPlan &plan, std::span<const QueryValue> values);
    /// Goes to the next row; false at the end, or if the query was stopped or has failed.
    virtual bool next();

    QueryRow &row() { return m_row; }
    const QueryTable &table() const { return m_table; }

protected:
    /// Counts one more row that was looked at. From time to time, reports progress and returns false if the query was
    /// stopped.
    bool mayGoOn();
    /// Excludes from the count the rows that were looked at only to order them.
    void notCounted(uint64_t rows) { m_seen -= rows; }
    QueryRun &run() const { return *m_run; }

private:
    struct FileRange {
        uint32_t file;
        RowRange rows;
    };
    enum Answer : uint8_t { Unknown, No, Yes };
    /// A comparison of a string column with a text. The answer for each string is computed once.
    struct TextTest {
        uint8_t column;
        QueryPlan::Compare compare;
        std::string wanted;
        uint32_t id = 0;             ///< for Equal: the text's id in the file being scanned
        std::vector<Answer> answers; ///< for other comparisons: per string id of that file
    };

    /// Reads the key of rows that are ordered by a column: for texts, their rank.
    struct OrderKey {
        const QueryColumn &column;
        const TextRanks &ranks; ///< empty for integers

        int64_t of(QueryRow &row) const;
    };
    const TextRanks &ranksFor(uint8_t column);

    bool take(const QueryPlan::Term &term, const QueryValue &value);
    void collectRanges(uint32_t file);
    void narrowBy(uint32_t column, const QueryFile &file, RowRange &range);
    void enterFile(uint32_t file);
    void rewind();
    bool accepts();
    bool nextInRanges();
    void orderRows(const std::vector<QueryPlan::Order> &order);

    const QueryTable &m_table;
    const QueryFiles &m_files;
    QueryRun *const &m_run; ///< the engine's pointer to its current query
    QueryRow m_row;
    std::vector<QueryBounds> m_bounds; ///< one per column
    std::vector<TextTest> m_tests;
    std::vector<FileRange> m_ranges;
    std::vector<RowRange> m_found; ///< scratch of collectRanges()
    size_t m_range = 0;            ///< index of the range being scanned
    uint32_t m_nextRow = 0;
    std::map<uint8_t, TextRanks> m_ranks;   ///< per column by which a scan ordered its rows
    bool m_isOrdered = false;               ///< rows come in the plan's order, from one of the two below
    std::optional<SortedPlaces> m_sorted;   ///< by an integer
    std::optional<GroupedPlaces> m_grouped; ///< by columns with few values
    uint64_t m_seen = 0;
};

} // namespace riffle
