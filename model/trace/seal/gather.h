// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/parallel.h"
#include "model/trace/event_blocks.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>
#include <span>

namespace riffle {

/// A sealed column while it is being filled: writable memory that becomes a Column.
template <typename T>
class ColumnDraft {
public:
    ColumnDraft(ColumnMemory &memory, size_t size)
        : m_memory(memory.allocateAny(std::max<size_t>(1, size * sizeof(T))))
        , m_size(size)
    {
    }
    /// Returns a draft of zeros. Pages that are never written take no memory.
    static ColumnDraft zeros(ColumnMemory &memory, size_t size)
    {
        ColumnDraft draft;
        draft.m_memory = memory.allocate(std::max<size_t>(1, size * sizeof(T)));
        draft.m_size = size;
        return draft;
    }
    bool ok() const { return m_memory != nullptr; }
    T *data()
    {
        assert(ok());
        return reinterpret_cast<T *>(m_memory.get());
    }
    size_t size() const { return m_size; }
    std::span<T> span() { return {data(), m_size}; }
    Column<T> column() const
    {
        return Column<T>(std::shared_ptr<const void>(m_memory, m_memory.get()),
                         reinterpret_cast<const T *>(m_memory.get()), m_size);
    }

private:
    ColumnDraft() = default;
    std::shared_ptr<std::byte[]> m_memory;
    size_t m_size = 0;
};

/// The number of rows that a worker processes at a time.
inline constexpr size_t kPieceRows = 1 << 16;

/// Calls body(begin, end) on pieces of [0, count) in parallel. Every piece but the last has kPieceRows rows.
template <typename F>
void parallelRanges(size_t count, F body)
{
    parallelFor((count + kPieceRows - 1) / kPieceRows,
                [&](size_t piece) { body(piece * kPieceRows, std::min(count, (piece + 1) * kPieceRows)); });
}

/// Returns the rows below `count` that `is` accepts, in ascending order. Calls `is` twice per row.
template <typename F>
BigVector<uint32_t> rowsWhere(size_t count, ScratchMemory *scratch, F is)
{
    std::vector<size_t> first((count + kPieceRows - 1) / kPieceRows + 1, 0);
    parallelRanges(count, [&](size_t begin, size_t end) {
        size_t accepted = 0;
        for (size_t row = begin; row < end; ++row)
            accepted += is(static_cast<uint32_t>(row));
        first[begin / kPieceRows + 1] = accepted;
    });
    std::partial_sum(first.begin(), first.end(), first.begin());
    BigVector<uint32_t> rows(first.back(), scratch);
    parallelRanges(count, [&](size_t begin, size_t end) {
        size_t at = first[begin / kPieceRows];
        for (size_t row = begin; row < end; ++row)
            if (is(static_cast<uint32_t>(row)))
                rows[at++] = static_cast<uint32_t>(row);
    });
    return rows;
}

/// The blocks of one table from all writers, numbered together: a reference is block << kBlockBits | row.
template <template <template <typename> class> class TableT>
struct AllBlocks {
    std::vector<typename BlockTable<TableT>::Block *> blocks;
    std::vector<uint32_t> writer;     ///< of each block
    std::vector<uint32_t> firstBlock; ///< of each writer

    void add(BlockTable<TableT> &table, uint32_t writerIndex)
    {
        firstBlock.push_back(static_cast<uint32_t>(blocks.size()));
        for (auto &block : table.blocks()) {
            blocks.push_back(&block);
            writer.push_back(writerIndex);
        }
    }
    uint32_t reference(uint32_t writerIndex, uint32_t row) const
    {
        assert(writerIndex < firstBlock.size());
        return (firstBlock[writerIndex] << kBlockBits) + row;
    }
    uint32_t writerOf(uint32_t reference) const { return writer[reference >> kBlockBits]; }
    template <typename T>
    T &at(T *TableT<Pointer>::*column, uint32_t reference) const
    {
        assert(reference >> kBlockBits < blocks.size() && blocks[reference >> kBlockBits]->columns.*column);
        return (blocks[reference >> kBlockBits]->columns.*column)[reference & (kBlockRows - 1)];
    }
};

/// Frees column number Index of all blocks.
template <size_t Index, template <template <typename> class> class TableT>
void freeColumn(AllBlocks<TableT> &all)
{
    for (auto *block : all.blocks)
        block->owners[Index].reset();
}

/// Copies column number Index of `all` to `target` in the order of `references`, and frees that column of the blocks.
template <size_t Index, template <template <typename> class> class TableT, typename T>
void gatherColumn(AllBlocks<TableT> &all, std::span<const uint32_t> references, T *target)
{
    std::vector<const T *> sources;
    for (auto *block : all.blocks)
        sources.push_back(std::get<Index>(block->columns.members()));
    parallelRanges(references.size(), [&](size_t begin, size_t end) {
        for (size_t at = begin; at < end; ++at) {
            assert(references[at] >> kBlockBits < sources.size());
            const T *source = sources[references[at] >> kBlockBits];
            if constexpr (isOptional<TableT, T>())
                target[at] = source ? source[references[at] & (kBlockRows - 1)] : kAbsent<T>;
            else
                target[at] = source[references[at] & (kBlockRows - 1)];
        }
    });
    freeColumn<Index>(all);
}

/// Gathers every column of `all` in the order of `references` into sealed columns and frees each block column once it
/// has been read. Skips columns of `out` that are already filled. Ids in the blocks must already be those of the trace.
/// Returns false if memory runs out.
template <template <template <typename> class> class TableT>
bool gatherTable(AllBlocks<TableT> &all, std::span<const uint32_t> references, ColumnMemory &memory,
                 TableT<Column> &out)
{
    bool complete = true;
    // Both tuples list the same fields in the same order.
    auto outFields = out.members();
    [&]<size_t... I>(std::index_sequence<I...>)
    {
        const auto gatherOne = [&]<size_t Index>(std::integral_constant<size_t, Index>) {
            auto &column = std::get<Index>(outFields);
            using T = typename std::remove_reference_t<decltype(column)>::value_type;
            if (column.size() > 0)
                return;
            const bool isAbsent = std::ranges::all_of(
                all.blocks, [](auto *block) { return std::get<Index>(block->columns.members()) == nullptr; });
            const bool staysZero = isAbsent && kAbsent<T> == T{};
            ColumnDraft<T> draft = staysZero ? ColumnDraft<T>::zeros(memory, references.size())
                                             : ColumnDraft<T>(memory, references.size());
            if (!draft.ok()) {
                complete = false;
                return;
            }
            if (!staysZero)
                gatherColumn<Index>(all, references, draft.data());
            column = draft.column();
        };
        (gatherOne(std::integral_constant<size_t, I>()), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(outFields)>>());
    return complete;
}

} // namespace riffle
