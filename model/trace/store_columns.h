// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/mapped_file.h"
#include "model/base/result.h"
#include "model/base/task.h"
#include "model/trace/column.h"
#include "model/trace/source_identity.h"
#include "model/trace/store_format.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The file layout that all kinds of stores share: header, columns, table of contents (see store_format.h).
namespace riffle {

/// True if [offset, offset + length) is inside [0, size); safe from overflow.
inline bool within(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

/// Identifies a kind of store.
struct StoreKind {
    char magic[8];
    uint32_t version;
    uint64_t schemaHash;
    const char *isNone; ///< error message for a file with another magic
};

/// A column that is to be written. Its bytes are in one or more pieces.
class StorePlan {
public:
    template <typename T>
    void add(const Column<T> &column)
    {
        add(std::as_bytes(column.span()), sizeof(T));
    }
    void add(std::span<const std::byte> bytes, uint32_t elementBytes = 1);

    uint32_t elementBytes() const { return m_elementBytes; }
    uint64_t bytes() const { return m_bytes; }
    /// Returns the pieces with bytes [begin, begin + length) of the column.
    std::vector<std::span<const std::byte>> range(uint64_t begin, uint64_t length) const;

private:
    uint32_t m_elementBytes = 1;
    uint64_t m_bytes = 0;
    std::vector<std::span<const std::byte>> m_pieces;
    std::vector<uint64_t> m_begins; ///< number of column bytes before each piece
};

/// Writes the columns under a temporary name, on all workers, and moves the file to its place once it is complete.
/// Returns its size.
Result<uint64_t> writeStoreColumns(const StoreKind &kind, const std::vector<StorePlan> &plans,
                                   const SourceIdentity &source, const std::string &storePath, const Task &task);

/// Reads the header of a store. Returns an Error if the store is of another kind or was not built from this version of
/// the source file.
Result<StoreHeader> readStoreHeader(const MappedFile &file, const StoreKind &kind, const SourceIdentity &source);
/// Reads the places of the columns, checked against the size of the file, and the hashes of their blocks. Returns false
/// if the table of contents is damaged.
bool readStoreContents(const MappedFile &file, const StoreHeader &header, std::vector<StoreColumn> &columns,
                       std::vector<uint64_t> &hashes);

/// `what` is a short clause, without a full stop.
Error storeDamaged(const std::string &path, std::string_view what);
/// The store of this source file became shorter while its columns were in use.
Error storeCut(const std::string &source);

} // namespace riffle
