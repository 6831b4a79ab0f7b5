// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/column_memory.h"
#include "model/trace/tables.h"

#include <cassert>
#include <memory>
#include <utility>
#include <vector>

namespace riffle {

/// Makes a table's fields pointers into a block.
template <typename T>
using Pointer = T *;

/// Rows per block of a table that is being filled.
inline constexpr uint32_t kBlockBits = 16;
inline constexpr uint32_t kBlockRows = 1u << kBlockBits;

/// A table while a file is read: blocks of kBlockRows rows, each column of a block its own allocation so that the seal can
/// give it back as soon as the column was gathered. Filled by one worker; rows at the end can be taken back.
template <template <template <typename> class> class TableT>
class BlockTable {
public:
    using Row = TableT<Value>;
    struct Block {
        TableT<Pointer> columns;
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
        const uint32_t at = m_rows++ & (kBlockRows - 1);
        const TableT<Pointer> &columns = m_blocks.back().columns;
        std::apply(
            [&](auto *const &...column) {
                std::apply([&](const auto &...value) { ((column[at] = value), ...); }, row.members());
            },
            columns.members());
    }

    /// Forgets all rows from `rows` on.
    void truncate(uint32_t rows)
    {
        assert(rows <= m_rows);
        m_rows = rows;
        m_blocks.resize((rows + kBlockRows - 1) >> kBlockBits);
    }

private:
    bool addBlock()
    {
        Block block;
        bool complete = true;
        std::apply(
            [&](auto *&...column) {
                const auto one = [&]<typename T>(T *&pointer) {
                    auto owner = m_memory->allocate(sizeof(T) * kBlockRows);
                    complete &= owner != nullptr;
                    pointer = reinterpret_cast<T *>(owner.get());
                    block.owners.push_back(std::move(owner));
                };
                (one(column), ...);
            },
            block.columns.members());
        if (!complete) {
            m_outOfMemory = true;
            return false;
        }
        m_blocks.push_back(std::move(block));
        return true;
    }

    std::shared_ptr<ColumnMemory> m_memory;
    std::vector<Block> m_blocks;
    uint32_t m_rows = 0;
    bool m_outOfMemory = false;
};

} // namespace riffle
