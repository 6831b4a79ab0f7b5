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

/// The file that stores have in common, whatever their columns are of: header, columns, table of contents
/// (store_format.h).
namespace riffle {

/// Whether [offset, offset + length) lies inside [0, size), without overflow.
inline bool within(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

/// What a store is of.
struct StoreKind {
    char magic[8];
    uint32_t version;
    uint64_t schemaHash;
    const char *isNone; ///< what is said of a file that begins otherwise
};

/// A column to write: its bytes lie in one piece or several.
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
    /// The bytes [begin, begin + length) of the column.
    std::vector<std::span<const std::byte>> range(uint64_t begin, uint64_t length) const;

private:
    uint32_t m_elementBytes = 1;
    uint64_t m_bytes = 0;
    std::vector<std::span<const std::byte>> m_pieces;
    std::vector<uint64_t> m_begins; ///< bytes of the column before each piece
};

/// Writes the columns under a temporary name, on all workers, and puts the file in its place when all of it is there.
/// Gives its size.
Result<uint64_t> writeStoreColumns(const StoreKind &kind, const std::vector<StorePlan> &plans,
                                   const SourceIdentity &source, const std::string &storePath, const Task &task);

/// The header of a store of that kind and of that version of the source file.
Result<StoreHeader> readStoreHeader(const MappedFile &file, const StoreKind &kind, const SourceIdentity &source);
/// Where the columns are, all checked against the file, and the hashes of their blocks; false when that is damaged.
bool readStoreContents(const MappedFile &file, const StoreHeader &header, std::vector<StoreColumn> &columns,
                       std::vector<uint64_t> &hashes);

Error storeDamaged(const std::string &path, std::string_view what);

} // namespace riffle
