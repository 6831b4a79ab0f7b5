// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

#include <string>
#include <utility>
#include <vector>

struct sqlite3_stmt;

namespace riffle {

/// Collects the rows of a query. The values of a column determine its kind: counts if all are integers, numbers if all
/// are numbers, otherwise text.
class ResultBuilder {
public:
    /// `traces` are those to whose slices the rows can lead; null if the files are not traces.
    ResultBuilder(sqlite3_stmt *statement, const TraceSet *traces);

    /// Adds the current row of the statement.
    void addRow();
    size_t rows() const { return m_rows; }
    /// The memory that the rows take, roughly.
    uint64_t bytes() const { return m_bytes; }
    /// Returns the rows so far and continues without them. Columns keep their kinds.
    ResultTable takeRows();
    /// Returns the rows that were not taken.
    ResultTable finish();

private:
    enum class Values : uint8_t { None, Integers, Numbers, Texts };
    void addCell(int at);
    void become(int at, Values values);
    TraceId traceOfRow() const;
    SliceRef sliceOfRow() const;

    sqlite3_stmt *m_statement;
    const TraceSet *m_traces;
    size_t m_rows = 0;
    uint64_t m_bytes = 0;
    int m_sliceColumn = -1; ///< column of the slice to which a row leads in the timeline
    int m_traceColumn = -1;
    std::vector<std::pair<std::string, TraceId>>
        m_titles; ///< of the traces, by which the tables of the summary name them
    std::vector<Values> m_values;
    ResultTable m_table;
};

} // namespace riffle
