// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/snapshot_columns.h"
#include "model/query/tables/tables.h"

#include <algorithm>

namespace riffle {

namespace {

using Search = QueryColumn::Search;

const MemoryStackTable &stackTable(const QueryRow &row) { return row.snapshot().memory().stacks; }

/// The stack of an entry of MemoryStackTable::frames; `guess` is tried first.
uint32_t stackOfEntry(const MemoryStackTable &stacks, uint32_t entry, uint32_t guess)
{
    const auto has = [&](uint32_t stack) {
        return stack < stacks.count() && entry >= stacks.begin[stack] && entry < stacks.begin[stack + 1];
    };
    if (has(guess) || has(++guess))
        return guess;
    const auto behind = std::upper_bound(stacks.begin.begin(), stacks.begin.end(), entry);
    return static_cast<uint32_t>(behind - stacks.begin.begin()) - 1;
}

bool enterFrame(QueryRow &row)
{
    row.detail = stackOfEntry(stackTable(row), row.number, row.detail);
    return true;
}

/// Reads the stack of a row that need not be entered.
int64_t stackOfFrame(QueryRow &row) { return int64_t{stackOfEntry(stackTable(row), row.number, row.detail)}; }

uint32_t frameIndex(const QueryRow &row) { return stackTable(row).frames[row.number]; }
const MemoryFrame &frameOf(const QueryRow &row) { return row.snapshot().memory().frames[frameIndex(row)]; }

/// A column of what the compiler's graph records about a frame.
template <size_t at>
QueryColumn graphColumn(const char *name, const char *meaning)
{
    return stringColumn(
        name, meaning, [](QueryRow &row) { return frameOf(row).fx[at]; }, true);
}

} // namespace

QueryTable stacksTable()
{
    QueryTable table{"stacks", "The frames of all stacks, one row per frame", {}, nullptr, enterFrame};
    table.rows = [](const QueryFile &file) {
        return static_cast<uint32_t>(snapshotOf(file).memory().stacks.frames.size());
    };
    table.columns = withSnapshot({
        integerColumn("stack_id", "The stack, unique in its snapshot", stackOfFrame, Search::Ascending),
        integerColumn("depth", "0 for the innermost frame, 1 for its caller …",
                      [](QueryRow &row) { return int64_t{row.number - stackTable(row).begin[row.detail]}; }),
        stringColumn("function", "Name of the function", [](QueryRow &row) { return frameOf(row).name; }),
        stringColumn("file", "File, as recorded", [](QueryRow &row) { return frameOf(row).file; }),
        integerColumn("line", "Line in the file", [](QueryRow &row) { return int64_t{frameOf(row).line}; }),
        idColumn("runtime", "1 for a frame of the interpreter or the recorder, which other tables leave out",
                 [](QueryRow &row) { return int64_t{row.snapshot().facts().stacks().isRuntime(frameIndex(row))}; }),
        graphColumn<0>("graph_op", "Operation of the node in the compiler's graph"),
        graphColumn<1>("graph_name", "Name of that node"),
        graphColumn<2>("graph_target", "Target of that node"),
        graphColumn<3>("graph_trace", "The original stack trace of that node"),
    });
    return table;
}

} // namespace riffle
