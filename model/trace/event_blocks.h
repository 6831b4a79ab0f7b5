// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/column_memory.h"
#include "model/trace/tables.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <utility>
#include <vector>

namespace riffle {

/// The table parameter that makes the fields pointers into a block.
template <typename T>
using Pointer = T *;

/// The number of rows in a block of a table that is being filled.
inline constexpr uint32_t kBlockBits = 16;
inline constexpr uint32_t kBlockRows = 1u << kBlockBits;

/// The value of an optional column for an event that has none.
template <typename T>
inline constexpr T kAbsent = T{};
template <>
inline constexpr int64_t kAbsent<int64_t> = kNoInt;

/// True if most events have no value in a column of type T: the 64-bit columns of tables with kMostlyAbsent.
template <template <template <typename> class> class TableT, typename T>
consteval bool isOptional()
{
    if constexpr (requires { TableT<Pointer>::kMostlyAbsent; })
        return sizeof(T) == 8;
    else
        return false;
}

/// A table while a file is being read: blocks of kBlockRows rows. Each column has separate memory, so that the seal can
/// free it as soon as it has gathered the column. Filled by one worker; rows at the end can be removed again.
template <template <template <typename> class> class TableT>
class BlockTable {
public:
    using Row = TableT<Value>;
    struct Block {
        TableT<Pointer> columns; ///< an optional column is null while all its values are absent
        std::vector<std::shared_ptr<std::byte[]>> owners; ///< one per column
    };

    explicit BlockTable(std::shared_ptr<ColumnMemory> memory) : m_memory(std::move(memory)) {}

    uint32_t rows() const { return m_rows; }
    bool outOfMemory() const { return m_outOfMemory; }
    std::vector<Block> &blocks() { return m_blocks; }
    const std::vector<Block> &blocks() const { return m_blocks; }

    void append(const Row &row)
    {
        if (m_rows == m_blocks.size() << kBlockBits && !addBlock())
            return;
        assert(m_rows < m_blocks.size() << kBlockBits);
        const uint32_t at = m_rows++ & (kBlockRows - 1);
        Block &block = m_blocks.back();
        const auto columns = block.columns.members();
        const auto values = row.members();
        [&]<size_t... I>(std::index_sequence<I...>)
        {
            (put<I>(block, std::get<I>(columns), at, std::get<I>(values)), ...);
        }
        (std::make_index_sequence<std::tuple_size_v<decltype(columns)>>());
    }

    /// Removes all rows from number `rows` on.
    void truncate(uint32_t rows)
    {
        assert(rows <= m_rows);
        m_rows = rows;
        m_blocks.resize((rows + kBlockRows - 1) >> kBlockBits);
    }

    /// Frees the blocks that are allocated but not in use. Call this when the table is complete: the memory of a group
    /// of blocks is freed with its last block, so unused blocks would keep the used ones. Their pages are dropped, too,
    /// because a huge page reaches beyond the rows that are in use.
    void freeSpare()
    {
        const auto dropFrom = [](uint32_t row, Block &block) {
            const auto drop = [row](auto *column) {
                if (column)
                    dropPages(column + row, column + kBlockRows);
            };
            std::apply([&](auto *...column) { (drop(column), ...); }, block.columns.members());
        };
        for (Block &block : m_spare)
            dropFrom(0, block);
        if (const uint32_t row = m_rows & (kBlockRows - 1); row > 0)
            dropFrom(row, m_blocks.back());
        m_spare.clear();
        m_chunks = {};
    }

private:
    /// A large table allocates this many blocks at a time, so that its columns take fewer and larger pages. The memory
    /// that a column has in a group of blocks is freed with the last block of the group.
    static constexpr uint32_t kGroup = 8;

    template <size_t Index, typename T>
    void put(Block &block, T *&column, uint32_t at, const T &value)
    {
        if constexpr (isOptional<TableT, T>()) {
            if (!column) {
                if (value == kAbsent<T> || !addColumn<Index>(block, column))
                    return;
                std::fill_n(column, at, kAbsent<T>);
            }
        }
        column[at] = value;
    }

    template <size_t Index, typename T>
    bool addColumn(Block &block, T *&column)
    {
        constexpr size_t kBytes = sizeof(T) * kBlockRows;
        Chunk &chunk = m_chunks[Index];
        if (chunk.left == 0) {
            const uint32_t count = m_blocks.size() <= kGroup ? 1 : kGroup;
            chunk = {m_memory->allocateAny(kBytes * count), count};
            if (!chunk.memory) {
                chunk.left = 0;
                m_outOfMemory = true;
                return false;
            }
        }
        std::byte *begin = chunk.memory.get() + kBytes * --chunk.left;
        block.owners[Index] = {chunk.memory, begin};
        if (chunk.left == 0)
            chunk.memory.reset();
        column = reinterpret_cast<T *>(begin);
        return true;
    }

    bool addBlock()
    {
        if (m_spare.empty() && !allocateBlocks(m_blocks.size() < kGroup ? 1 : kGroup)) {
            m_outOfMemory = true;
            return false;
        }
        m_blocks.push_back(std::move(m_spare.back()));
        m_spare.pop_back();
        return true;
    }

    bool allocateBlocks(uint32_t count)
    {
        m_spare.resize(count);
        bool complete = true;
        [&]<size_t... I>(std::index_sequence<I...>)
        {
            const auto one = [&]<size_t Index>(std::integral_constant<size_t, Index>) {
                using T = std::remove_pointer_t<
                    std::remove_reference_t<decltype(std::get<Index>(m_spare[0].columns.members()))>>;
                if constexpr (isOptional<TableT, T>()) {
                    for (Block &block : m_spare) {
                        std::get<Index>(block.columns.members()) = nullptr;
                        block.owners.emplace_back();
                    }
                    return;
                }
                const std::shared_ptr<std::byte[]> owner = m_memory->allocateAny(sizeof(T) * kBlockRows * count);
                complete &= owner != nullptr;
                for (uint32_t block = 0; block < count; ++block) {
                    std::byte *begin = owner.get() + sizeof(T) * kBlockRows * (count - 1 - block);
                    std::get<Index>(m_spare[block].columns.members()) = reinterpret_cast<T *>(begin);
                    m_spare[block].owners.emplace_back(owner, begin);
                }
            };
            (one(std::integral_constant<size_t, I>()), ...);
        }
        (std::make_index_sequence<std::tuple_size_v<decltype(std::declval<TableT<Pointer> &>().members())>>());
        if (!complete)
            m_spare.clear();
        return complete;
    }

    std::shared_ptr<ColumnMemory> m_memory;
    std::vector<Block> m_blocks;
    std::vector<Block> m_spare; ///< allocated but not yet in use; taken from the end
    /// Memory for the next blocks of an optional column.
    struct Chunk {
        std::shared_ptr<std::byte[]> memory;
        uint32_t left = 0;
    };
    std::array<Chunk, std::tuple_size_v<decltype(std::declval<TableT<Pointer> &>().members())>> m_chunks;
    uint32_t m_rows = 0;
    bool m_outOfMemory = false;
};

} // namespace riffle
