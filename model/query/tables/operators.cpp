// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/tables.h"

namespace riffle {

namespace {

/// Returns the operator's row in the side table; consecutive operators usually have consecutive rows. There is none if
/// only the name and times were recorded.
DetailRow<OperatorTable> detailOf(QueryRow &row)
{
    const OperatorTable &operators = row.slice.segment->operators;
    if (row.slice.segment->slices.detail[row.slice.at] != SliceDetail::Operator)
        return {};
    for (const uint32_t guess : {row.detail, row.detail + 1})
        if (operators.slice.at(guess, SliceId::kNone) == row.number) {
            row.detail = guess;
            return {&operators, guess};
        }
    const auto found = detailIn(operators, SliceId(row.number));
    row.detail = found.row;
    return found;
}

template <const Column<int64_t> OperatorTable::*column>
int64_t recorded(QueryRow &row)
{
    const auto detail = detailOf(row);
    return detail ? detail[column] : kNoInt;
}

/// Writes the text of an argument of which the trace's columns contain only the hash.
void writeHashed(QueryRow &row, Cell &cell, const Column<uint64_t> OperatorTable::*column,
                 std::initializer_list<std::string_view> keys)
{
    const auto detail = detailOf(row);
    if (!detail)
        return;
    if (const std::string &text = row.traced().hashedText(detail[column], *row.slice.segment, row.slice.at, keys);
        !text.empty())
        cell.text(text);
}

const CollectiveTable &collectivesOf(const QueryRow &row) { return row.slice.segment->collectives; }
int64_t collectiveSlice(QueryRow &row) { return idOrNull(row.traced().collectiveRows().sliceOf(row.number)); }
bool enterCollective(QueryRow &row) { return enterDetail(row, row.traced().collectiveRows()); }

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
    table.rows = [](const QueryFile &file) { return traceOf(file).collectiveRows().count(); };
    table.narrow = [](const QueryFile &file, std::span<const QueryBounds> bounds, std::vector<RowRange> &ranges) {
        narrowDetails(file, traceOf(file).collectiveRows(), bounds, ranges);
    };
    table.columns = withTrace(
        joined(sliceColumns(collectiveSlice),
               {
                   stringColumn(
                       "operation", "Collective name",
                       [](QueryRow &row) { return collectivesOf(row).operation[row.detail]; }, true),
                   stringColumn(
                       "data_type", "Type of the elements",
                       [](QueryRow &row) { return collectivesOf(row).dataType[row.detail]; }, true),
                   integerColumn("in_elements", "Elements of the input",
                                 [](QueryRow &row) { return collectivesOf(row).inElements[row.detail]; }),
                   integerColumn("out_elements", "Elements of the output",
                                 [](QueryRow &row) { return collectivesOf(row).outElements[row.detail]; }),
                   stringColumn(
                       "process_group", "Process Group Name",
                       [](QueryRow &row) { return collectivesOf(row).group[row.detail]; }, true),
                   stringColumn(
                       "group_description", "Process Group Description",
                       [](QueryRow &row) { return collectivesOf(row).groupDescription[row.detail]; }, true),
                   stringColumn(
                       "group_ranks", "Process Group Ranks, as written",
                       [](QueryRow &row) { return collectivesOf(row).groupRanks[row.detail]; }, true),
                   integerColumn("group_size", "Ranks in the group",
                                 [](QueryRow &row) { return collectivesOf(row).groupSize[row.detail]; }),
                   integerColumn("group_rank", "Rank, as recorded in the event",
                                 [](QueryRow &row) { return collectivesOf(row).rank[row.detail]; }),
                   integerColumn("source_rank", "Src Rank",
                                 [](QueryRow &row) { return collectivesOf(row).sourceRank[row.detail]; }),
                   integerColumn("destination_rank", "Dst Rank",
                                 [](QueryRow &row) { return collectivesOf(row).destinationRank[row.detail]; }),
                   integerColumn("sequence", "Seq: sequence number in the process group",
                                 [](QueryRow &row) { return collectivesOf(row).sequence[row.detail]; }),
                   cellColumn("comms_id", "INTEGER", "Comms Id",
                              [](QueryRow &row, Cell &cell) {
                                  if (collectivesOf(row).commsIdKind[row.detail] != RawId::Kind::None)
                                      cell.integer(collectivesOf(row).commsId[row.detail],
                                                   collectivesOf(row).commsIdKind[row.detail] == RawId::Kind::Unsigned);
                              }),
               }));
    return table;
}

} // namespace riffle
