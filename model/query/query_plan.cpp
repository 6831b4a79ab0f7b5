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
    if (orderedBy >= 0)
        out +=
            fmt::format("{}in order of {}", out.empty() ? "" : " ", table.columns[static_cast<size_t>(orderedBy)].name);
    return out;
}

} // namespace riffle
