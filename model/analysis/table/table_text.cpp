// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/table_text.h"

#include "model/base/format.h"
#include "model/base/quoted_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace riffle {

namespace {

std::string valueText(const ResultColumn &column, size_t row, Ns origin)
{
    switch (column.kind) {
    case CellKind::Text: return column.texts[row];
    case CellKind::Count: return column.isId ? std::to_string(column.integers[row]) : formatCount(column.integers[row]);
    case CellKind::Time: return formatDuration(column.integers[row]);
    case CellKind::Moment: return formatDuration(column.integers[row] - origin);
    case CellKind::Bytes: return formatBytes(column.integers[row]);
    case CellKind::Share: return formatShare(column.numbers[row]);
    case CellKind::Number: return formatNumber(column.numbers[row]);
    }
    return {};
}

} // namespace

std::string cellText(const ResultColumn &column, size_t row, Ns origin)
{
    if (column.absent(row))
        return column.unnamed.empty() ? "–" : column.unnamed;
    std::string text = valueText(column, row, origin);
    return column.isChange ? changeText(std::move(text), column.number(row)) : text;
}

std::string changeText(std::string text, double change)
{
    if (change > 0)
        text.insert(0, "+");
    else if (text.starts_with('-'))
        text.replace(0, 1, "−");
    return text;
}

std::string cellValue(const ResultColumn &column, size_t row)
{
    if (column.absent(row))
        return {};
    if (column.kind == CellKind::Text)
        return column.texts[row];
    if (column.isInteger())
        return std::to_string(column.integers[row]);
    if (!std::isfinite(column.numbers[row]))
        return {}; // JSON has no such number
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), column.numbers[row]).ptr;
    return {digits.data(), end};
}

std::string csvHeader(const ResultTable &table)
{
    std::string out = table.depth.empty() ? "" : "depth";
    for (const ResultColumn &column : table.columns)
        (out += out.empty() ? "" : ",") += csvField(column.key);
    return out += '\n';
}

std::string csvRows(const ResultTable &table, std::span<const uint32_t> rows)
{
    std::string out;
    for (const uint32_t row : rows) {
        if (!table.depth.empty())
            (out += std::to_string(table.depth[row])) += ',';
        for (const ResultColumn &column : table.columns)
            (out += csvField(cellValue(column, row))) += ',';
        out.back() = '\n';
    }
    return out;
}

std::string tableCsv(const ResultTable &table, std::span<const uint32_t> rows)
{
    return csvHeader(table) + csvRows(table, rows);
}

std::string jsonRows(const ResultTable &table, std::span<const uint32_t> rows)
{
    std::string out;
    for (const uint32_t row : rows) {
        out += out.empty() ? "\n{" : ",\n{";
        if (!table.depth.empty())
            (out += "\"depth\": ") += std::to_string(table.depth[row]);
        for (const ResultColumn &column : table.columns) {
            const std::string value = cellValue(column, row);
            (out += out.back() == '{' ? "" : ", ") += jsonString(column.key) + ": ";
            out += value.empty() ? "null" : column.kind == CellKind::Text ? jsonString(value) : value;
        }
        out += '}';
    }
    return out;
}

std::string tableJson(const ResultTable &table, std::span<const uint32_t> rows)
{
    return "[" + jsonRows(table, rows) + (rows.empty() ? "]\n" : "\n]\n");
}

} // namespace riffle
