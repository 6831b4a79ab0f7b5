// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/whole_steps.h"

namespace riffle {

std::vector<size_t> wholeSteps(const ResultTable &steps)
{
    const ResultColumn *duration = steps.column("duration_ns"), *cut = steps.column("cut"),
                       *unfinished = steps.column("unfinished");
    const auto isSet = [](const ResultColumn *column, size_t row) { return column && column->integers[row] > 0; };
    std::vector<size_t> whole, ended;
    for (size_t row = 0; duration && row < steps.rows(); ++row)
        if (!duration->absent(row) && !isSet(unfinished, row)) {
            ended.push_back(row);
            if (!isSet(cut, row))
                whole.push_back(row);
        }
    return whole.empty() ? ended : whole;
}

} // namespace riffle
