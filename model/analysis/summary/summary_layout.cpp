// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/summary_layout.h"

#include "model/analysis/facts/kernel_names.h"
#include "model/analysis/table/difference_table.h"
#include "model/trace/tables.h"

#include <algorithm>
#include <map>
#include <utility>

namespace riffle {

namespace {

/// Inserts a first column that names the trace of the rows.
void nameTrace(ResultTable &table, const std::string &trace)
{
    ResultColumn column;
    column.key = kTraceColumn;
    column.title = "Trace";
    column.kind = CellKind::Text;
    column.texts.assign(table.rows(), trace);
    table.columns.insert(table.columns.begin(), std::move(column));
}

/// Appends the rows of `more`, which has the same columns, and names their trace in the first column.
void appendRows(ResultTable &table, LabelledTable more)
{
    nameTrace(more.table, more.label);
    const std::string absence = more.table.rows() == 0 ? more.table.absence : std::string();
    const EmptyState empty = more.table.empty;
    table.append(std::move(more.table));
    if (!absence.empty()) {
        table.absence = absence;
        table.empty = empty;
    }
}

/// Short names of one trace may stand for another name in another: makes them differ.
void shortenAgain(ResultColumn &column)
{
    std::map<std::string_view, std::string_view> names; // by short name
    const auto isShared = [&](size_t row) {
        return names.try_emplace(column.shorts[row], column.texts[row]).first->second != column.texts[row];
    };
    for (size_t row = 0; row < column.shorts.size(); ++row)
        if (isShared(row)) {
            column.shorts = shortKernelNames(std::vector<std::string_view>(column.texts.begin(), column.texts.end()));
            return;
        }
}

/// Removes the number of a trace's only device, so that the rows of the ranks' devices are the same.
void removeDevice(ResultTable &table, int64_t number)
{
    ResultColumn *column = table.column("device"), *name = table.column("name");
    if (!column)
        return;
    const std::string text = "GPU" + std::to_string(number);
    for (size_t row = 0; row < table.rows(); ++row) {
        if (column->isInteger() && column->integers[row] == number)
            column->integers[row] = kNoInt;
        if (column->kind != CellKind::Text || column->texts[row] != text)
            continue;
        column->texts[row] = "GPU";
        if (name && name->kind == CellKind::Text && name->texts[row] == text) // the top of a tree of devices
            name->texts[row] = "GPU";
    }
}

} // namespace

void inSetTime(ResultTable &table, const TraceSet &set, TraceId trace)
{
    table.origin = set.origin();
    const TimeMap &time = set.time(trace);
    for (ResultColumn &column : table.columns)
        if (column.kind == CellKind::Moment && !time.identity())
            for (int64_t &moment : column.integers)
                if (moment != kNoInt)
                    moment = time.toSet(moment);
}

void TraceNotes::add(std::vector<std::string> notes, const std::string &trace)
{
    ++m_traces;
    for (std::string &note : notes) {
        auto known = std::find_if(m_notes.begin(), m_notes.end(), [&](const Note &one) { return one.text == note; });
        if (known == m_notes.end())
            known = m_notes.insert(m_notes.end(), {std::move(note), {}, 0});
        known->about += (known->about.empty() ? "" : ", ") + trace;
        ++known->traces;
    }
}

std::vector<std::string> TraceNotes::lines() const
{
    std::vector<std::string> lines;
    for (const Note &note : m_notes)
        lines.push_back((note.traces == m_traces ? "All traces" : note.about) + ": " + note.text);
    return lines;
}

ResultTable laidOut(std::vector<LabelledTable> tables, const LayoutRequest &request)
{
    TraceNotes notes;
    for (LabelledTable &one : tables)
        notes.add(std::exchange(one.table.notes, {}), one.label);
    ResultTable all;
    if (request.layout == RankLayout::RankByRank || request.keys.empty()) {
        for (LabelledTable &one : tables)
            appendRows(all, std::move(one));
        for (ResultColumn &column : all.columns) // each trace's shares add up to a whole
            column.summed = column.summed && (column.kind != CellKind::Share || tables.size() < 2);
    } else {
        const auto &devices = request.devices;
        const bool haveOneEach = devices.size() == tables.size() &&
                                 std::ranges::all_of(devices, [](const auto &device) { return device.has_value(); });
        if (haveOneEach && std::ranges::adjacent_find(devices, std::not_equal_to<>()) != devices.end())
            for (size_t at = 0; at < tables.size(); ++at)
                removeDevice(tables[at].table, *devices[at]);
        const std::string spread = spreadColumn(tables, request.keys, request.spread);
        all = request.layout == RankLayout::Merged ? mergedTable(tables, request.keys, spread)
              : request.layout == RankLayout::Difference && tables.size() == 2
                  ? differenceTable(tables, request.keys, spread)
                  : columnsTable(tables, request.keys, spread);
    }
    all.notes = notes.lines();
    for (ResultColumn &column : all.columns)
        shortenAgain(column);
    return all;
}

} // namespace riffle
