// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

struct QueryTable;

/// The plan of a table scan, on which SQLite and the table agree when a query is prepared.
struct QueryPlan {
    enum class Compare : uint8_t { Equal, Less, LessEqual, Greater, GreaterEqual, Like, Glob };
    struct Term {
        uint8_t column = 0;
        Compare compare = Compare::Equal;
        bool operator==(const Term &) const = default;
    };
    std::vector<Term> terms; ///< in the order of the values that the scan receives
    /// A column by which rows are sorted or grouped.
    struct Order {
        uint8_t column = 0;
        bool descending = false;
        bool operator==(const Order &) const = default;
    };
    std::vector<Order> order; ///< empty if rows come in any order

    bool operator==(const QueryPlan &) const = default;
    /// "ts>=? ts<? in order of name": what EXPLAIN QUERY PLAN shows.
    std::string text(const QueryTable &table) const;
};

} // namespace riffle
