// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

struct sqlite3_stmt;

namespace riffle {

/// Collects the rows of a query. The values of a column determine its kind: integers only, numbers, otherwise text.
class ResultBuilder {
public:
    ResultBuilder(sqlite3_stmt *statement, size_t traces);

    /// Adds the current row of the statement.
    void addRow();
    size_t rows() const { return m_rows; }
    ResultTable finish();

private:
    enum class Values : uint8_t { None, Integers, Numbers, Texts };
    void addCell(int at);
    void become(int at, Values values);
    SliceRef sliceOfRow() const;

    sqlite3_stmt *m_statement;
    size_t m_traces;
    size_t m_rows = 0;
    int m_sliceColumn = -1; ///< the slice that a row leads to in the timeline
    int m_traceColumn = -1;
    std::vector<Values> m_values;
    ResultTable m_table;
};

} // namespace riffle
