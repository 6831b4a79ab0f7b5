// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/run/step_figures.h"

#include "model/base/ids.h"

#include <memory>
#include <utility>
#include <vector>

namespace riffle {

namespace {

template <size_t Field>
auto columnOf(std::span<const StepFigures> rows)
{
    using T = std::remove_cvref_t<decltype(std::get<Field>(rows.front().members()))>;
    const auto values = std::make_shared<std::vector<T>>();
    values->reserve(rows.size());
    for (const StepFigures &row : rows)
        values->push_back(std::get<Field>(row.members()));
    return Column<T>(values, values->data(), values->size());
}

} // namespace

StepFigures unknownStepFigures()
{
    StepFigures row{};
    for (int64_t *figure :
         {&row.number, &row.start, &row.duration, &row.deviceStart, &row.deviceEnd, &row.kernelTime, &row.busy,
          &row.communication, &row.exposed, &row.hostWait, &row.idle, &row.missing, &row.memoryPeak})
        *figure = kNoInt;
    row.idleByCause.fill(kNoInt);
    row.mark = kNoRow;
    row.device = kNoInt32;
    return row;
}

StepFigureTable stepFigureTable(std::span<const StepFigures> rows)
{
    StepFigureTable table;
    auto columns = table.members();
    [&]<size_t... Field>(std::index_sequence<Field...>) { ((std::get<Field>(columns) = columnOf<Field>(rows)), ...); }
    (std::make_index_sequence<std::tuple_size_v<decltype(columns)>>());
    return table;
}

} // namespace riffle
