// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/table_text.h"
#include "model/query/query_engine.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace riffle::test {

/// The rows as text, with cells joined by "|". NULL is empty.
inline std::vector<std::string> rowsOf(const ResultTable &table)
{
    std::vector<std::string> rows(table.rows());
    for (size_t at = 0; at < table.columns.size(); ++at)
        for (size_t row = 0; row < rows.size(); ++row)
            rows[row] += (at ? "|" : "") + cellValue(table.columns[at], row);
    return rows;
}

/// An engine over traces or snapshots, with the two kinds of answers that tests need.
class Asked {
public:
    explicit Asked(TraceSet set) : m_engine(SetFacts(std::move(set))) {}
    explicit Asked(std::shared_ptr<const Trace> trace) : Asked(setOf(std::move(trace))) {}
    explicit Asked(std::vector<std::shared_ptr<const SnapshotFacts>> snapshots) : m_engine(std::move(snapshots)) {}

    std::vector<std::string> operator()(const std::string &sql)
    {
        const auto table = m_engine.run(sql, {}, {});
        EXPECT_TRUE(table) << sql << ": " << (table ? "" : table.error().text());
        return table ? rowsOf(*table) : std::vector<std::string>();
    }
    /// The message of a query that fails.
    std::string error(const std::string &sql)
    {
        const auto table = m_engine.run(sql, {}, {});
        EXPECT_FALSE(table) << sql;
        return table ? std::string() : table.error().text();
    }
    /// Checks that the columns of a table are those that the table `columns` lists; returns the whole table.
    ResultTable describedTable(const std::string &name)
    {
        auto table = m_engine.run("select * from " + name, {}, {});
        EXPECT_TRUE(table) << name << ": " << (table ? "" : table.error().text());
        if (!table)
            return {};
        std::vector<std::string> names;
        for (const ResultColumn &column : table->columns)
            names.push_back(column.key);
        EXPECT_EQ(names, (*this)("select name from columns where table_name = '" + name + "'")) << name;
        return std::move(*table);
    }
    QueryEngine &engine() { return m_engine; }

private:
    QueryEngine m_engine;
};

} // namespace riffle::test
