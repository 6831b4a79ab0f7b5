// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/tables.h"

namespace riffle {

namespace {

/// Returns the operator's row in the side table; consecutive operators usually have consecutive rows. Returns nullopt
/// if only the name and times were recorded.
std::optional<uint32_t> detailOf(QueryRow &row)
{
    const Column<uint32_t> &slices = row.trace().operators.slice;
    if (row.slice.segment->slices.detail[row.slice.at] != SliceDetail::Operator)
        return std::nullopt;
    for (const uint32_t guess : {row.detail, row.detail + 1})
        if (slices.at(guess, SliceId::kNone) == row.number) {
            row.detail = guess;
            return guess;
        }
    const auto found = Trace::rowFor(slices, SliceId(row.number));
    row.detail = found.value_or(0);
    return found;
}

template <const Column<int64_t> OperatorTable::*column>
int64_t recorded(QueryRow &row)
{
    const auto detail = detailOf(row);
    return detail ? (row.trace().operators.*column)[*detail] : kNoInt;
}

/// Writes the text of an argument of which the trace's columns contain only the hash.
void writeHashed(QueryRow &row, Cell &cell, const Column<uint64_t> OperatorTable::*column,
                 std::initializer_list<std::string_view> keys)
{
    const auto detail = detailOf(row);
    if (!detail)
        return;
    const uint64_t hash = (row.trace().operators.*column)[*detail];
    if (const std::string &text = row.traced().hashedText(hash, *row.slice.segment, row.slice.at, keys); !text.empty())
        cell.text(text);
}

const CollectiveTable &collectivesOf(const QueryRow &row) { return row.trace().collectives; }
int64_t collectiveSlice(QueryRow &row) { return idOrNull(collectivesOf(row).slice[row.number]); }
bool enterCollective(QueryRow &row) { return row.slice.goTo(row.trace(), collectivesOf(row).slice[row.number]); }

} // namespace

QueryTable operatorsTable()
{
    QueryTable table{"operators", "Calls of operators, one row each", {}, nullptr, nullptr, narrowSlices};
    table.rows = sliceCount;
    table.enter = [](QueryRow &row) {
        return row.slice.goTo(row.trace(), row.number) &&
               row.traced().facts().classes().of(*row.slice.segment, row.slice.at) == SliceClass::Operator;
    };
    table.columns = withTrace(joined(
        sliceColumns([](QueryRow &row) { return int64_t{row.number}; }),
        {
            integerColumn("sequence", "Sequence number: joins forward and backward",
                          recorded<&OperatorTable::sequence>),
            integerColumn("forward_thread", "Fwd thread id: the thread of the forward operator",
                          recorded<&OperatorTable::forwardThread>),
            integerColumn("record_function", "Record function id", recorded<&OperatorTable::recordFunction>),
            integerColumn("event_index", "Ev Idx", recorded<&OperatorTable::eventIndex>),
            cellColumn(
                "input_dims", "TEXT", "Shapes of the inputs, as JSON (record_shapes)",
                [](QueryRow &row, Cell &cell) {
                    writeHashed(row, cell, &OperatorTable::inputDims, {"Input Dims", "Input dims", "input_shapes"});
                }),
            cellColumn("input_types", "TEXT", "Types of the inputs, as JSON (record_shapes)",
                       [](QueryRow &row, Cell &cell) {
                           writeHashed(row, cell, &OperatorTable::inputTypes, {"Input type", "input_dtypes"});
                       }),
            cellColumn("input_strides", "TEXT", "Strides of the inputs, as JSON (record_shapes)",
                       [](QueryRow &row, Cell &cell) {
                           writeHashed(row, cell, &OperatorTable::inputStrides, {"Input Strides"});
                       }),
            cellColumn("concrete_inputs", "TEXT", "Values of the plain inputs, as JSON (record_shapes)",
                       [](QueryRow &row, Cell &cell) {
                           writeHashed(row, cell, &OperatorTable::concreteInputs, {"Concrete Inputs"});
                       }),
            cellColumn("call_stack", "TEXT", "Call stack, if the event itself has one",
                       [](QueryRow &row, Cell &cell) {
                           writeHashed(row, cell, &OperatorTable::callStack, {"Call stack", "callstack"});
                       }),
            cellColumn("module_hierarchy", "TEXT", "Enclosing modules, if the event itself has them",
                       [](QueryRow &row, Cell &cell) {
                           writeHashed(row, cell, &OperatorTable::moduleHierarchy, {"Module Hierarchy"});
                       }),
        }));
    return table;
}

QueryTable collectivesTable()
{
    QueryTable table{"collectives",
                     "Collectives: the calls on the host and, if recorded, their kernels",
                     {},
                     nullptr,
                     enterCollective};
    table.rows = [](const QueryFile &file) {
        return static_cast<uint32_t>(traceOf(file).trace().collectives.slice.size());
    };
    table.narrow = [](const QueryFile &file, std::span<const QueryBounds> bounds, std::vector<RowRange> &ranges) {
        narrowBySlice(file, traceOf(file).trace().collectives.slice, bounds, ranges);
    };
    table.columns = withTrace(
        joined(sliceColumns(collectiveSlice),
               {
                   stringColumn(
                       "operation", "Collective name",
                       [](QueryRow &row) { return collectivesOf(row).operation[row.number]; }, true),
                   stringColumn(
                       "data_type", "Type of the elements",
                       [](QueryRow &row) { return collectivesOf(row).dataType[row.number]; }, true),
                   integerColumn("in_elements", "Elements of the input",
                                 [](QueryRow &row) { return collectivesOf(row).inElements[row.number]; }),
                   integerColumn("out_elements", "Elements of the output",
                                 [](QueryRow &row) { return collectivesOf(row).outElements[row.number]; }),
                   stringColumn(
                       "process_group", "Process Group Name",
                       [](QueryRow &row) { return collectivesOf(row).group[row.number]; }, true),
                   stringColumn(
                       "group_description", "Process Group Description",
                       [](QueryRow &row) { return collectivesOf(row).groupDescription[row.number]; }, true),
                   stringColumn(
                       "group_ranks", "Process Group Ranks, as written",
                       [](QueryRow &row) { return collectivesOf(row).groupRanks[row.number]; }, true),
                   integerColumn("group_size", "Ranks in the group",
                                 [](QueryRow &row) { return collectivesOf(row).groupSize[row.number]; }),
                   integerColumn("group_rank", "Rank, as recorded in the event",
                                 [](QueryRow &row) { return collectivesOf(row).rank[row.number]; }),
                   integerColumn("source_rank", "Src Rank",
                                 [](QueryRow &row) { return collectivesOf(row).sourceRank[row.number]; }),
                   integerColumn("destination_rank", "Dst Rank",
                                 [](QueryRow &row) { return collectivesOf(row).destinationRank[row.number]; }),
                   integerColumn("sequence", "Seq: sequence number in the process group",
                                 [](QueryRow &row) { return collectivesOf(row).sequence[row.number]; }),
                   cellColumn("comms_id", "INTEGER", "Comms Id",
                              [](QueryRow &row, Cell &cell) {
                                  if (collectivesOf(row).commsIdKind[row.number] != RawId::Kind::None)
                                      cell.integer(collectivesOf(row).commsId[row.number],
                                                   collectivesOf(row).commsIdKind[row.number] == RawId::Kind::Unsigned);
                              }),
               }));
    return table;
}

} // namespace riffle
