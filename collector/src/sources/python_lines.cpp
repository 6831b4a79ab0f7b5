// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_lines.h"

namespace riffle::collector {

namespace {

/// Damaged tables can contain any number, so sums wrap instead of overflowing.
int32_t plus(int32_t line, int32_t difference)
{
    return static_cast<int32_t>(static_cast<uint32_t>(line) + static_cast<uint32_t>(difference));
}

/// The table of 3.10: pairs of a length in bytes and a difference of lines; -128 is "no line".
int32_t lineInPairs(std::span<const std::byte> table, int32_t line, uint32_t offset)
{
    uint64_t end = 0;
    for (size_t i = 0; i + 1 < table.size(); i += 2) {
        const auto difference = static_cast<int8_t>(table[i + 1]);
        end += static_cast<uint8_t>(table[i]);
        if (difference != -128)
            line = plus(line, difference);
        if (offset < end)
            return difference == -128 ? 0 : line;
    }
    return line;
}

/// A number of the table of 3.11, with 6 bits per byte; the lowest bit is the sign.
int32_t signedNumber(std::span<const std::byte> table, size_t &at)
{
    uint32_t value = 0;
    for (uint32_t shift = 0; at < table.size() && shift < 32; shift += 6) {
        const auto byte = static_cast<uint8_t>(table[at++]);
        value |= static_cast<uint32_t>(byte & 0x3F) << shift;
        if (!(byte & 0x40))
            break;
    }
    return value & 1 ? -static_cast<int32_t>(value >> 1) : static_cast<int32_t>(value >> 1);
}

/// The table from 3.11 on: entries that start with a byte whose highest bit is set.
int32_t lineInPlaces(std::span<const std::byte> table, int32_t line, uint32_t offset)
{
    uint64_t end = 0;
    for (size_t at = 0; at < table.size();) {
        const auto first = static_cast<uint8_t>(table[at++]);
        const uint8_t code = first >> 3 & 15;
        end += ((first & 7u) + 1) * 2; // units of an instruction
        if (code == 13 || code == 14)
            line = plus(line, signedNumber(table, at));
        else if (code >= 10 && code <= 12)
            line = plus(line, code - 10);
        if (offset < end)
            return code == 15 ? 0 : line;
        while (at < table.size() && !(static_cast<uint8_t>(table[at]) & 0x80))
            ++at; // columns
    }
    return line;
}

} // namespace

int32_t pythonLine(PythonLineFormat format, std::span<const std::byte> table, int32_t firstLine, uint32_t offset)
{
    return format == PythonLineFormat::Pairs ? lineInPairs(table, firstLine, offset)
                                             : lineInPlaces(table, firstLine, offset);
}

} // namespace riffle::collector
