// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/tables.h"

namespace riffle {

namespace {

const Step &stepOf(const QueryRow &row) { return row.trace().steps[row.number]; }

} // namespace

QueryTable stepsTable()
{
    QueryTable table{"steps", "Steps as marked on the host", {}, nullptr, nullptr};
    table.rows = [](const QueryFile &file) { return static_cast<uint32_t>(traceOf(file).trace().steps.size()); };
    table.enter = [](QueryRow &row) { return row.slice.goTo(row.trace(), stepOf(row).slice.value); };
    table.columns = withTrace({
        sliceColumn("id", "The slice that marks it", [](QueryRow &row) { return idOrNull(stepOf(row).slice.value); }),
        integerColumn("number", "Number of the step", [](QueryRow &row) { return stepOf(row).number; }),
        integerColumn("ts", "Start in ns", [](QueryRow &row) { return row.traced().inSet(stepOf(row).span.begin); }),
        integerColumn("dur", "Duration in ns", [](QueryRow &row) { return stepOf(row).span.duration(); }),
        stringColumn("name", "Name of the mark", [](QueryRow &row) { return row.slice.name(); }),
        integerColumn("lane_id", "The lane it is marked on", [](QueryRow &row) { return idOrNull(row.slice.lane()); }),
        integerColumn("unfinished", "1 if its mark has no end, so that its duration means nothing",
                      [](QueryRow &row) { return int64_t{row.slice.unfinished()}; }),
    });
    return table;
}

} // namespace riffle
