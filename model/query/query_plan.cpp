// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/query_plan.h"

#include "model/query/query_table.h"

#include <fmt/format.h>

namespace riffle {

std::string QueryPlan::text(const QueryTable &table) const
{
    static constexpr const char *kSigns[] = {"=", "<", "<=", ">", ">=", " like ", " glob "};
    std::string out;
    for (const Term &term : terms)
        out += fmt::format("{}{}{}?", out.empty() ? "" : " ", table.columns[term.column].name,
                           kSigns[size_t(term.compare)]);
    for (const Order &by : order)
        out += fmt::format("{}{}{}",
                           &by != order.data() ? ", "
                           : out.empty()       ? "in order of "
                                               : " in order of ",
                           table.columns[by.column].name, by.descending ? " descending" : "");
    return out;
}

} // namespace riffle
