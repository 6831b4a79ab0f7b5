// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/result_builder.h"

#include "model/query/query_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <sqlite3.h>

namespace riffle {

namespace {

/// Returns the shortest text that reads back as the same number.
std::string numberText(double value) { return fmt::format("{}", value); }

std::string blobText(sqlite3_stmt *statement, int at)
{
    const auto *bytes = static_cast<const unsigned char *>(sqlite3_column_blob(statement, at));
    std::string out = "x'";
    for (int byte = 0; byte < sqlite3_column_bytes(statement, at); ++byte)
        out += fmt::format("{:02x}", bytes[byte]);
    return out + "'";
}

/// True if the numbers in a column with this name are identifiers.
bool holdsIds(std::string_view name)
{
    static constexpr std::string_view kIds[]{
        "id",          "number",          "step",     "trace",           "snapshot",    "event",      "begin_event",
        "freed_event", "end_event",       "rank",     "device",          "stream",      "context",    "tid",
        "pid",         "correlation",     "sequence", "record_function", "event_index", "graph_node", "forward_thread",
        "source_rank", "destination_rank"};
    return name.ends_with("_id") || std::find(std::begin(kIds), std::end(kIds), name) != std::end(kIds);
}

/// Returns a key for a column name that is unique in the table.
std::string uniqueKey(const ResultTable &table, const std::string &name)
{
    std::string key = name;
    for (int number = 2; table.column(key); ++number)
        key = name + "_" + std::to_string(number);
    return key;
}

/// Maps slices to rows; a slice that is in several rows belongs to the first.
RowSlices slicesOfRows(const std::vector<SliceRef> &evidence)
{
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < evidence.size(); ++row)
        if (evidence[row].valid())
            rows.push_back(row);
    std::ranges::stable_sort(rows, {}, [&](uint32_t row) { return evidence[row]; });
    std::vector<RowSlices::Member> members;
    for (const uint32_t row : rows) {
        if (members.empty() || members.back().trace != evidence[row].trace)
            members.push_back({evidence[row].trace, {}, {}});
        RowSlices::Member &member = members.back();
        if (!member.slices.empty() && member.slices.back() == evidence[row].slice.value)
            continue;
        member.slices.push_back(evidence[row].slice.value);
        member.rows.push_back(row);
    }
    return RowSlices(std::move(members));
}

} // namespace

ResultBuilder::ResultBuilder(sqlite3_stmt *statement, const TraceSet *traces) : m_statement(statement), m_traces(traces)
{
    const int count = sqlite3_column_count(statement);
    m_values.assign(static_cast<size_t>(count), Values::None);
    m_table.view = "sql";
    m_table.title = "Query";
    for (int at = 0; at < count; ++at) {
        const char *given = sqlite3_column_name(statement, at);
        const std::string name = given ? given : "";
        m_table.add(uniqueKey(m_table, name), name, CellKind::Text).isId = holdsIds(name);
        // An expression has no declared type, so only its name shows whether it is a slice id.
        const char *declared = sqlite3_column_decltype(statement, at);
        const bool isSlice = declared ? std::string_view(declared) == kSliceIdType : name == "id" || name == "slice_id";
        if (isSlice && m_sliceColumn < 0)
            m_sliceColumn = at;
        if (name == "trace" && m_traceColumn < 0)
            m_traceColumn = at;
    }
    if (!m_traces || m_traces->empty() ||
        (m_traces->size() > 1 && m_traceColumn < 0)) // an id alone does not identify the trace
        m_sliceColumn = -1;
    if (m_sliceColumn >= 0 && m_traceColumn >= 0)
        for (const LoadedTrace &member : m_traces->loaded())
            m_titles.emplace_back(m_traces->title(member.id), member.id);
}

void ResultBuilder::become(int at, Values values)
{
    ResultColumn &column = m_table.columns[static_cast<size_t>(at)];
    const Values before = m_values[static_cast<size_t>(at)];
    assert(values > before); // a column never goes back to a narrower kind
    m_values[static_cast<size_t>(at)] = values;
    m_bytes += values == Values::Texts ? m_rows * (sizeof(std::string) - sizeof(int64_t)) : 0;
    column.kind = values == Values::Integers  ? CellKind::Count
                  : values == Values::Numbers ? CellKind::Number
                                              : CellKind::Text;
    if (before == Values::None) {
        column.integers.assign(values == Values::Integers ? m_rows : 0, kNoInt);
        column.numbers.assign(values == Values::Numbers ? m_rows : 0, std::nan(""));
        column.texts.resize(values == Values::Texts ? m_rows : 0);
        return;
    }
    for (const int64_t integer : std::exchange(column.integers, {})) {
        if (values == Values::Numbers)
            column.numbers.push_back(integer == kNoInt ? std::nan("") : static_cast<double>(integer));
        else
            column.texts.push_back(integer == kNoInt ? "" : std::to_string(integer));
    }
    if (values == Values::Texts)
        for (const double number : std::exchange(column.numbers, {}))
            column.texts.push_back(std::isnan(number) ? "" : numberText(number));
}

void ResultBuilder::addCell(int at)
{
    const int type = sqlite3_column_type(m_statement, at);
    const Values needed = type == SQLITE_NULL      ? Values::None
                          : type == SQLITE_INTEGER ? Values::Integers
                          : type == SQLITE_FLOAT   ? Values::Numbers
                                                   : Values::Texts;
    if (needed > m_values[static_cast<size_t>(at)])
        become(at, needed);
    ResultColumn &column = m_table.columns[static_cast<size_t>(at)];
    m_bytes += m_values[static_cast<size_t>(at)] < Values::Texts ? sizeof(int64_t) : 0;
    switch (m_values[static_cast<size_t>(at)]) {
    case Values::None: m_bytes += sizeof(std::string) - sizeof(int64_t); break; // it becomes an empty text
    case Values::Integers:
        column.integers.push_back(type == SQLITE_NULL ? kNoInt : sqlite3_column_int64(m_statement, at));
        break;
    case Values::Numbers:
        column.numbers.push_back(type == SQLITE_NULL ? std::nan("") : sqlite3_column_double(m_statement, at));
        break;
    case Values::Texts:
        if (type == SQLITE_NULL)
            column.texts.emplace_back();
        else if (type == SQLITE_BLOB)
            column.texts.push_back(blobText(m_statement, at));
        else if (type == SQLITE_FLOAT)
            column.texts.push_back(numberText(sqlite3_column_double(m_statement, at)));
        else if (const auto *text = reinterpret_cast<const char *>(sqlite3_column_text(m_statement, at)))
            column.texts.emplace_back(text, static_cast<size_t>(sqlite3_column_bytes(m_statement, at)));
        else
            throw std::bad_alloc();
        m_bytes += sizeof(std::string) + column.texts.back().size();
        break;
    }
}

/// Returns the trace that a row names by its number or, in tables of the summary, by its title.
TraceId ResultBuilder::traceOfRow() const
{
    if (m_traceColumn < 0)
        return m_traces->loaded().front().id;
    if (sqlite3_column_type(m_statement, m_traceColumn) == SQLITE_TEXT) {
        const auto *title = reinterpret_cast<const char *>(sqlite3_column_text(m_statement, m_traceColumn));
        const auto found =
            std::ranges::find(m_titles, std::string_view(title ? title : ""), &std::pair<std::string, TraceId>::first);
        return found == m_titles.end() ? TraceId() : found->second;
    }
    const int64_t number = sqlite3_column_int64(m_statement, m_traceColumn);
    return number >= 0 && number < int64_t{m_traces->idsEnd()} ? TraceId(static_cast<uint32_t>(number)) : TraceId();
}

SliceRef ResultBuilder::sliceOfRow() const
{
    const int64_t slice = sqlite3_column_int64(m_statement, m_sliceColumn);
    if (sqlite3_column_type(m_statement, m_sliceColumn) != SQLITE_INTEGER || slice < 0 ||
        slice >= int64_t{SliceId::kNone})
        return {};
    const TraceId trace = traceOfRow();
    return m_traces->find(trace) ? SliceRef{trace, SliceId(static_cast<uint32_t>(slice))} : SliceRef{};
}

void ResultBuilder::addRow()
{
    if (m_sliceColumn >= 0) {
        m_table.evidence.push_back(sliceOfRow());
        m_bytes += sizeof(SliceRef);
    }
    for (int at = 0; at < static_cast<int>(m_values.size()); ++at)
        addCell(at);
    ++m_rows;
}

ResultTable ResultBuilder::takeRows()
{
    for (size_t at = 0; at < m_values.size(); ++at)
        if (m_values[at] == Values::None) // only NULL
            m_table.columns[at].texts.resize(m_rows);
    assert(m_table.isRectangular());
    ResultTable taken = std::exchange(m_table, {});
    m_table.view = taken.view;
    m_table.title = taken.title;
    for (const ResultColumn &column : taken.columns)
        m_table.add(column.key, column.title, column.kind).isId = column.isId;
    m_rows = m_bytes = 0;
    return taken;
}

ResultTable ResultBuilder::finish()
{
    ResultTable table = takeRows();
    if (!table.evidence.empty())
        table.slices = std::make_shared<const RowSlices>(slicesOfRows(table.evidence));
    return table;
}

} // namespace riffle
