// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report_page.h"

#include "app/cli/report_style.h"
#include "model/analysis/table/table_text.h"
#include "model/layout/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>

namespace riffle::cli {

namespace {

/// Sorts a table by a column when its heading is clicked, and reverses the order on the next click.
constexpr const char *kScript = R"(
for (const th of document.querySelectorAll('th')) th.onclick = () => {
  const body = th.closest('table').tBodies[0], at = th.cellIndex, down = th.dataset.down = th.dataset.down === '1' ? '0' : '1';
  const value = r => { const v = r.cells[at].dataset.v; return v === '' ? null : isNaN(v) ? v : Number(v); };
  [...body.rows].sort((a, b) => { const x = value(a), y = value(b);
    if (x === null || y === null) return (x === null) - (y === null);
    return (x < y ? -1 : x > y ? 1 : 0) * (down === '1' ? -1 : 1); }).forEach(r => body.append(r));
};
)";

const char *styleOf(const ResultColumn &column)
{
    return column.prose ? "p" : column.kind == CellKind::Text ? "t" : "n";
}

} // namespace

std::string nameOfFile(const std::string &path) { return path.substr(path.find_last_of('/') + 1); }

std::string pageHead(const std::string &title)
{
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>{}</style></head>\n"
        "<body>",
        escapedXml(title), reportStyle());
}

std::string pageEnd() { return std::string("<script>") + kScript + "</script></body></html>\n"; }

std::string notesHtml(const std::vector<std::string> &notes)
{
    std::string out;
    constexpr size_t kFew = 3;
    const bool isFolded = notes.size() > kFew;
    if (isFolded)
        out += fmt::format("<details><summary>{} notes</summary>\n", notes.size());
    for (const std::string &note : notes)
        out += "<p class=\"note\">" + escapedXml(note) + "</p>\n";
    if (isFolded)
        out += "</details>\n";
    return out;
}

std::string tableHtml(const ResultTable &table, size_t limit)
{
    std::vector<uint32_t> rows = allRows(table);
    if (limit != 0)
        rows.resize(std::min(rows.size(), limit));
    return tableHtml(table, rows);
}

std::string tableHtml(const ResultTable &table, const std::vector<uint32_t> &rows)
{
    std::string out;
    if (!table.absence.empty())
        out += "<p class=\"note\">" + escapedXml(table.absence) + "</p>\n";
    out += notesHtml(table.notes);
    std::vector<const ResultColumn *> shown;
    for (const ResultColumn &column : table.columns) {
        bool any = false;
        for (size_t at = 0; at < rows.size() && !any; ++at)
            any = !column.absent(rows[at]);
        if (any && !column.hidden)
            shown.push_back(&column);
    }
    if (shown.empty())
        return out;
    out += "<div class=\"wide\"><table><thead><tr>";
    for (const ResultColumn *column : shown)
        out += fmt::format("<th class=\"{}\" title=\"{}\">{}</th>", styleOf(*column), escapedXml(column->formula),
                           escapedXml(column->title));
    out += "</tr></thead><tbody>\n";
    for (const uint32_t row : rows) {
        out += "<tr>";
        for (const ResultColumn *column : shown) {
            const std::string text =
                escapedXml(column->absent(row) ? column->unnamed : cellText(*column, row, table.origin));
            const std::string indent = column == shown.front() && !table.depth.empty()
                                           ? fmt::format(" style=\"padding-left:{}px\"", 10 + 14 * table.depth[row])
                                           : "";
            if (column->kind == CellKind::Text)
                out +=
                    fmt::format("<td class=\"{}\"{} data-v=\"{}\" title=\"{}\">{}</td>", styleOf(*column), indent, text,
                                column->prose ? "" : text,
                                column->shorts.empty() || column->absent(row) ? text : escapedXml(column->shorts[row]));
            else
                out += fmt::format("<td{} data-v=\"{}\">{}</td>", indent, cellValue(*column, row), text);
        }
        out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
    if (table.rows() > rows.size())
        out += fmt::format("<p class=\"note\">Only {} of {} rows are shown.</p>\n", rows.size(), table.rows());
    return out;
}

} // namespace riffle::cli
