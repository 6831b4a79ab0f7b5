// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/columns.h"

namespace riffle::collector {

void ColumnBuilder::add(int64_t value)
{
    uint64_t step = static_cast<uint64_t>(value);
    if (m_encoding == wire::Encoding::Delta)
        step -= static_cast<uint64_t>(m_last);
    m_last = value;
    uint64_t zigzag = step << 1 ^ static_cast<uint64_t>(static_cast<int64_t>(step) >> 63);
    char buffer[10];
    size_t count = 0;
    while (zigzag >= 0x80) {
        buffer[count++] = static_cast<char>(zigzag | 0x80);
        zigzag >>= 7;
    }
    buffer[count++] = static_cast<char>(zigzag);
    m_bytes.append(buffer, count);
}

void ColumnBuilder::add(double value) { m_bytes.append(reinterpret_cast<const char *>(&value), sizeof(value)); }

void ColumnBuilder::add(std::string_view text) { m_bytes.append(text); }

void ColumnBuilder::appendTo(std::string &payload) const
{
    const wire::ColumnHeader header{m_field, m_encoding, 0, static_cast<uint32_t>(m_bytes.size())};
    payload.append(reinterpret_cast<const char *>(&header), sizeof(header));
    payload.append(m_bytes);
}

void ColumnBuilder::clear()
{
    m_last = 0;
    m_bytes.clear();
}

ChunkBuilder::ChunkBuilder(wire::ChunkType type, std::initializer_list<Column> columns) : m_type(type)
{
    for (const Column &column : columns)
        m_columns.emplace_back(column.field, column.encoding);
}

size_t ChunkBuilder::bytes() const
{
    size_t bytes = 0;
    for (const ColumnBuilder &column : m_columns)
        bytes += column.bytes();
    return bytes;
}

std::string ChunkBuilder::payload() const
{
    std::string payload;
    payload.reserve(bytes());
    for (const ColumnBuilder &column : m_columns)
        column.appendTo(payload);
    return payload;
}

void ChunkBuilder::clear()
{
    for (ColumnBuilder &column : m_columns)
        column.clear();
    m_rows = 0;
    m_begin = m_end = 0;
}

} // namespace riffle::collector
