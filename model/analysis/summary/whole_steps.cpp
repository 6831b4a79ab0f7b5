// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/whole_steps.h"

#include <algorithm>
#include <iterator>

namespace riffle {

std::vector<size_t> wholeSteps(const ResultTable &steps)
{
    const ResultColumn *duration = steps.column("duration_ns"), *cut = steps.column("cut"),
                       *unfinished = steps.column("unfinished");
    const auto isSet = [](const ResultColumn *column, size_t row) { return column && column->integers[row] > 0; };
    const auto isMarked = [&](size_t row) { return row < steps.evidence.size() && steps.evidence[row].valid(); };
    std::vector<size_t> marked, whole, ended;
    for (size_t row = 0; duration && row < steps.rows(); ++row)
        if (!duration->absent(row) && !isSet(unfinished, row)) {
            ended.push_back(row);
            if (!isSet(cut, row))
                whole.push_back(row);
        }
    std::vector<size_t> &rows = whole.empty() ? ended : whole;
    std::ranges::copy_if(rows, std::back_inserter(marked), isMarked);
    return marked.empty() ? rows : marked;
}

} // namespace riffle
