// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/table_markdown.h"

#include "model/analysis/table/table_text.h"

namespace riffle {

namespace {

constexpr std::string_view kMarkup = "\\`*<[|~";
constexpr std::string_view kIndent = "\u2003"; ///< an em space, which Markdown does not trim

bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Letters, digits, and all bytes of characters beyond ASCII.
bool isWord(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

} // namespace

std::string markdownText(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const char before = at ? text[at - 1] : ' ', after = at + 1 < text.size() ? text[at + 1] : ' ';
        // An underscore inside a word is not markup, and "&" is only if the name of a character may follow.
        const bool isMarkup = kMarkup.find(c) != kMarkup.npos || (c == '_' && !(isWord(before) && isWord(after))) ||
                              (c == '&' && (isWord(after) || after == '#'));
        if (isMarkup)
            out += '\\';
        out += isControl(c) ? ' ' : c;
    }
    return out;
}

std::string tableMarkdown(const ResultTable &table, std::span<const uint32_t> rows, std::span<const size_t> columns)
{
    if (columns.empty())
        return {};
    std::string out, rule;
    for (const size_t column : columns) {
        out += "| " + markdownText(table.columns[column].title) + ' ';
        rule += table.columns[column].kind == CellKind::Text ? "| --- " : "| ---: ";
    }
    out += "|\n" + rule + "|\n";
    for (const uint32_t row : rows) {
        bool isFirst = true;
        for (const size_t column : columns) {
            out += "| ";
            if (isFirst && !table.depth.empty())
                for (uint32_t level = 0; level < table.depth[row]; ++level)
                    out += kIndent;
            out += markdownText(cellText(table.columns[column], row, table.origin)) + ' ';
            isFirst = false;
        }
        out += "|\n";
    }
    return out;
}

} // namespace riffle
