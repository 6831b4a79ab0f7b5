// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/table_printer.h"

#include "app/cli/text_width.h"
#include "model/base/format.h"
#include "model/base/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace riffle::cli {

namespace {

struct Unit {
    const char *word;
    Ns ns;
    int digits;
};
constexpr Unit kUnits[] = {{"ns", 1, 0}, {"us", 1'000, 3}, {"ms", 1'000'000, 3}, {"s", 1'000'000'000, 6}};

std::string cell(const ResultTable &table, const ResultColumn &column, uint32_t row, const PrintOptions &options)
{
    const bool isTime = column.kind == CellKind::Time || column.kind == CellKind::Moment;
    if (!isTime || options.unit.empty() || column.absent(row))
        return column.kind == CellKind::Text && column.absent(row) ? column.unnamed
                                                                   : cellText(column, row, table.origin);
    const Ns time = column.integers[row] - (column.kind == CellKind::Moment ? table.origin : 0);
    for (const Unit &unit : kUnits)
        if (options.unit == unit.word)
            return fmt::format("{}{:.{}f}", column.isChange && time > 0 ? "+" : "",
                               static_cast<double>(time) / static_cast<double>(unit.ns), unit.digits);
    return {};
}

std::string title(const ResultColumn &column, const PrintOptions &options)
{
    const bool isTime = column.kind == CellKind::Time || column.kind == CellKind::Moment;
    return shownText(isTime && !options.unit.empty() ? column.title + " (" + options.unit + ")" : column.title);
}

std::vector<const ResultColumn *> shownColumns(const ResultTable &table, std::span<const uint32_t> rows,
                                               const PrintOptions &options)
{
    std::vector<const ResultColumn *> shown;
    for (const ResultColumn &column : table.columns) {
        const bool isEmpty = std::all_of(rows.begin(), rows.end(), [&](uint32_t row) { return column.absent(row); });
        if (options.hidden || (!column.hidden && !isEmpty))
            shown.push_back(&column);
    }
    return shown;
}

/// Makes a text safe for a terminal: one line without control characters, cut to at most `most` characters.
std::string fitted(std::string text, size_t most)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    text = shownText(text);
    return lengthOf(text) <= most ? text : firstOf(text, most - 1) + "…";
}

/// True for the column that shows a tree by indentation: the second if the first names the trace, otherwise the first.
bool isTreeColumn(const ResultTable &table, const ResultColumn &column)
{
    return !table.depth.empty() &&
           &column == &table.columns[table.columns.front().key == kTraceColumn && table.columns.size() > 1 ? 1 : 0];
}

std::string notesOf(const ResultTable &table, const PrintOptions &options)
{
    std::string text;
    if (options.rowsLeftOut)
        text += "… and " + formatCounted(options.rowsLeftOut, "more row\n", "more rows\n");
    if (!table.absence.empty())
        text += table.absence + "\n";
    for (const std::string &note : table.notes)
        text += note + "\n";
    return shownText(text);
}

/// Escapes Markdown inside a line: puts a backslash before characters that could start a tag, a link, emphasis, a
/// strikethrough, code or an entity such as &amp;, or that could end a table cell. Underscores inside a word stay.
std::string escaped(std::string_view text)
{
    const auto isWord = [&](size_t at) {
        return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at]));
    };
    std::string out;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const bool marks = c == '_' ? !(at > 0 && isWord(at - 1) && isWord(at + 1))
                                    : std::string_view("\\`*[]<>&~|").find(c) != std::string_view::npos;
        out += marks ? "\\" : "";
        out += c;
    }
    return out;
}

/// The row's prose columns, one line each.
std::string proseOf(const std::vector<const ResultColumn *> &columns, uint32_t row)
{
    std::string text;
    for (const ResultColumn *column : columns)
        if (!column->absent(row))
            text += "    " + column->title + ": " + fitted(column->texts[row], std::string::npos) + "\n";
    return text;
}

} // namespace

std::string tableForPeople(const ResultTable &table, std::span<const uint32_t> rows, const PrintOptions &options)
{
    std::string out = shownText(table.title) + "\n";
    std::vector<const ResultColumn *> shown = shownColumns(table, rows, options);
    std::vector<const ResultColumn *> prose;
    std::copy_if(shown.begin(), shown.end(), std::back_inserter(prose),
                 [](const ResultColumn *column) { return column->prose; });
    std::erase_if(shown, [](const ResultColumn *column) { return column->prose; });
    if (shown.empty())
        return out + notesOf(table, options);
    std::vector<std::vector<std::string>> cells(rows.size() + 1);
    std::vector<size_t> widths;
    for (size_t at = 0; at < shown.size(); ++at) {
        const bool isText = shown[at]->kind == CellKind::Text;
        cells[0].push_back(title(*shown[at], options));
        size_t widest = lengthOf(cells[0].back());
        for (size_t row = 0; row < rows.size(); ++row) {
            const bool isShort = !shown[at]->shorts.empty();
            std::string text = isShort && !shown[at]->absent(rows[row]) ? shown[at]->shorts[rows[row]]
                                                                        : cell(table, *shown[at], rows[row], options);
            if (isTreeColumn(table, *shown[at]))
                text = std::string(2 * table.depth[rows[row]], ' ') + text;
            // Short forms are never cut, because two of them may differ only in their last characters.
            cells[row + 1].push_back(isText ? fitted(std::move(text), isShort ? SIZE_MAX : options.nameWidth)
                                            : std::move(text));
            widest = std::max(widest, lengthOf(cells[row + 1].back()));
        }
        widths.push_back(widest);
    }
    for (size_t number = 0; number < cells.size(); ++number) {
        const std::vector<std::string> &line = cells[number];
        std::string text;
        for (size_t at = 0; at < line.size(); ++at) {
            const std::string gap(widths[at] - lengthOf(line[at]), ' ');
            text += at ? "  " : "";
            text += shown[at]->kind == CellKind::Text ? line[at] + gap : gap + line[at];
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out += text + "\n";
        if (number > 0)
            out += proseOf(prose, rows[number - 1]);
    }
    return out + notesOf(table, options);
}

std::string tableMarkdown(const ResultTable &table, std::span<const uint32_t> rows, const PrintOptions &options)
{
    const std::vector<const ResultColumn *> shown = shownColumns(table, rows, options);
    std::string out = "### " + escaped(shownText(table.title)) + "\n\n";
    if (!shown.empty()) {
        std::string head = "|", line = "|";
        for (const ResultColumn *column : shown) {
            head += " " + escaped(title(*column, options)) + " |";
            line += column->kind == CellKind::Text ? " --- |" : " ---: |";
        }
        out += head + "\n" + line + "\n";
        for (const uint32_t row : rows) {
            out += "|";
            for (const ResultColumn *column : shown) {
                std::string indent; // of em spaces, which Markdown does not trim
                for (uint32_t level = 0; isTreeColumn(table, *column) && level < table.depth[row]; ++level)
                    indent += "\u2003";
                out += " " + indent + escaped(fitted(cell(table, *column, row, options), std::string::npos)) + " |";
            }
            out += "\n";
        }
    }
    const std::string notes = notesOf(table, options);
    return notes.empty() ? out : out + "\n" + escaped(notes);
}

} // namespace riffle::cli
