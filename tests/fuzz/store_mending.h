// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/store_columns.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>
#include <xxhash.h>

namespace riffle::test {

/// Corrects the hashes of a store, so that the checks after them are reached too: bounds must be checked even if a hash
/// matches. `good` gives what identifies the kind of store and its source. Calls `tame(column number, bytes, column)`
/// before a column is hashed.
template <typename Tame>
void mendHashes(std::vector<uint8_t> &bytes, const StoreHeader &good, Tame tame)
{
    StoreHeader header;
    if (bytes.size() < sizeof header)
        return;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::memcpy(header.magic, good.magic, sizeof header.magic);
    header.version = good.version;
    header.byteOrder = StoreHeader().byteOrder;
    header.schemaHash = good.schemaHash;
    header.fileBytes = bytes.size();
    header.sourceBytes = good.sourceBytes;
    header.sourceHash = good.sourceHash;
    header.sourceModifiedNs = good.sourceModifiedNs;
    if (header.tocOffset <= bytes.size() && header.tocBytes <= bytes.size() - header.tocOffset) {
        uint8_t *toc = bytes.data() + header.tocOffset;
        const size_t tocBytes = header.tocBytes;
        uint64_t columns = 0;
        if (tocBytes >= 8)
            std::memcpy(&columns, toc, 8);
        if (columns < 1000 && tocBytes >= 16 + columns * 20) {
            size_t hashAt = 16 + columns * 20;
            for (uint64_t i = 0; i < columns; ++i) {
                StoreColumn column;
                std::memcpy(&column.offset, toc + 8 + i * 20, 8);
                std::memcpy(&column.count, toc + 16 + i * 20, 8);
                std::memcpy(&column.elementBytes, toc + 24 + i * 20, 4);
                if (column.count > bytes.size() || column.offset > bytes.size() ||
                    column.bytes() > bytes.size() - column.offset)
                    break;
                tame(i, bytes.data() + column.offset, column);
                for (uint64_t begin = 0; begin < column.bytes() && hashAt + 8 <= tocBytes;
                     begin += kStoreBlock, hashAt += 8) {
                    const uint64_t hash = XXH3_64bits(bytes.data() + column.offset + begin,
                                                      std::min(kStoreBlock, column.bytes() - begin));
                    std::memcpy(toc + hashAt, &hash, 8);
                }
            }
        }
        header.tocHash = XXH3_64bits(toc, tocBytes);
    }
    header.headerHash = XXH3_64bits(&header, offsetof(StoreHeader, headerHash));
    std::memcpy(bytes.data(), &header, sizeof header);
}

} // namespace riffle::test
