// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/columns.h"

#include <cassert>
#include <cstring>

namespace riffle::collector {

void ColumnBuilder::append(const void *bytes, size_t count)
{
    if (m_bytes.size() - m_size < count)
        m_bytes.resize(2 * m_bytes.size() + count + 4096);
    std::memcpy(m_bytes.data() + m_size, bytes, count);
    m_size += count;
}

void ColumnBuilder::add(double value)
{
    assert(m_encoding == wire::Encoding::Doubles);
    append(&value, sizeof(value));
}

void ColumnBuilder::add(std::string_view text)
{
    assert(m_encoding == wire::Encoding::Texts);
    if (!text.empty())
        append(text.data(), text.size());
}

void ColumnBuilder::appendTo(std::string &payload) const
{
    assert(m_size <= UINT32_MAX);
    const wire::ColumnHeader header{m_field, m_encoding, 0, static_cast<uint32_t>(m_size)};
    payload.append(reinterpret_cast<const char *>(&header), sizeof(header));
    payload.append(m_bytes.data(), m_size);
}

void ColumnBuilder::clear()
{
    m_last = 0;
    m_size = 0;
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
