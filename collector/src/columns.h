// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "riffle/wire.h"

#include <algorithm>
#include <cassert>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace riffle::collector {

/// One column of a chunk that is being filled.
class ColumnBuilder {
public:
    ColumnBuilder(wire::Field field, wire::Encoding encoding) : m_field(field), m_encoding(encoding) {}

    void add(int64_t value) ///< for Delta and Plain
    {
        assert(m_encoding == wire::Encoding::Delta || m_encoding == wire::Encoding::Plain);
        uint64_t step = static_cast<uint64_t>(value);
        if (m_encoding == wire::Encoding::Delta)
            step -= static_cast<uint64_t>(m_last);
        m_last = value;
        uint64_t zigzag = step << 1 ^ static_cast<uint64_t>(static_cast<int64_t>(step) >> 63);
        constexpr size_t kLongest = 10;
        if (m_bytes.size() - m_size < kLongest)
            m_bytes.resize(2 * m_bytes.size() + 4096);
        while (zigzag >= 0x80) {
            m_bytes[m_size++] = static_cast<char>(zigzag | 0x80);
            zigzag >>= 7;
        }
        m_bytes[m_size++] = static_cast<char>(zigzag);
    }
    void add(double value);                    ///< for Doubles
    void add(std::string_view);                ///< for Texts
    void appendTo(std::string &payload) const; ///< appends the header and the bytes
    void clear();
    size_t bytes() const { return sizeof(wire::ColumnHeader) + m_size; }

private:
    void append(const void *bytes, size_t count);

    wire::Field m_field;
    wire::Encoding m_encoding;
    int64_t m_last = 0;
    std::vector<char> m_bytes; ///< reserved memory; the first m_size bytes are used
    size_t m_size = 0;
};

/// The rows of one chunk type that are waiting to be written.
class ChunkBuilder {
public:
    struct Column {
        wire::Field field;
        wire::Encoding encoding;
    };
    ChunkBuilder(wire::ChunkType type, std::initializer_list<Column> columns);

    /// Adds a row that covers the times `begin` to `end`. The values follow the order of the columns: integers for
    /// Delta and Plain, double for Doubles, text for Texts.
    template <typename... Values>
    void row(int64_t begin, int64_t end, Values... values)
    {
        assert(sizeof...(values) == m_columns.size());
        size_t at = 0;
        (addValue(m_columns[at++], values), ...);
        m_begin = m_rows ? std::min(m_begin, begin) : begin;
        m_end = m_rows ? std::max(m_end, end) : end;
        ++m_rows;
    }
    uint32_t rows() const { return m_rows; }
    size_t bytes() const;
    void clear();

    wire::ChunkType type() const { return m_type; }
    uint32_t columns() const { return static_cast<uint32_t>(m_columns.size()); }
    int64_t begin() const { return m_begin; }
    int64_t end() const { return m_end; }
    std::string payload() const;

private:
    template <typename T>
    static void addValue(ColumnBuilder &column, T value)
    {
        if constexpr (std::is_integral_v<T>)
            column.add(static_cast<int64_t>(value));
        else
            column.add(value);
    }

    wire::ChunkType m_type;
    std::vector<ColumnBuilder> m_columns;
    uint32_t m_rows = 0;
    int64_t m_begin = 0, m_end = 0;
};

} // namespace riffle::collector
