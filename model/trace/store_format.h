// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

/// The layout of a store's file: header, columns one after another (each at a multiple of 64 bytes), table of contents.
///
/// The table of contents gives the place of every column and the XXH3 of each of its blocks of up to 1 MiB. The header
/// gives the place and hash of the table of contents, and contains its own hash. Nothing in the file depends on where
/// it is mapped, on the run or on the number of threads. Little-endian; a store with another byte order or another
/// schema is refused at the header.
namespace riffle {

inline constexpr uint32_t kStoreVersion = 7;
inline constexpr uint64_t kStoreBlock = 1 << 20;
inline constexpr uint64_t kStoreAlignment = 64;
inline constexpr uint64_t kStoreDataBegin = 4096;

struct StoreHeader {
    char magic[8] = {}; ///< from StoreKind, like version and schemaHash
    uint32_t version = 0;
    uint32_t byteOrder = 0x01020304;
    uint64_t schemaHash = 0; ///< see storeSchemaHash()
    uint64_t fileBytes = 0;
    uint64_t tocOffset = 0;
    uint64_t tocBytes = 0;
    uint64_t tocHash = 0;
    uint64_t sourceBytes = 0; ///< this and the next two are the SourceIdentity of the source
    int64_t sourceModifiedNs = 0;
    uint64_t sourceHash = 0;
    uint64_t headerHash = 0; ///< of all bytes before it
};
static_assert(sizeof(StoreHeader) == 88);

/// One column in the table of contents. Its block hashes follow those of the previous column.
struct StoreColumn {
    uint64_t offset = 0;
    uint64_t count = 0;
    uint32_t elementBytes = 0;

    uint64_t bytes() const { return count * elementBytes; }
    uint64_t blocks() const { return (bytes() + kStoreBlock - 1) / kStoreBlock; }
};

/// All columns of a store; those of the segments are joined. visit() goes through them in the stored order.
struct StoreTables {
    SliceTable slices;
    NestingTable nesting;
    Column<uint32_t> rowBegins; ///< Segment::rowBegin of all segments, joined
    Column<Ns> lodEntries;      ///< Segment::lod of all segments, each lowest level first
    SideTables details;         ///< those of all segments, joined
    MemoryTable memory;
    InstantTable instants;
    CounterTable counters;
    FlowTable flows;
    Column<uint32_t> flowsBySlice;
    Column<uint32_t> deviceByLaunch; ///< LaunchLinks::byLaunch()
    Column<char> stringBytes;
    Column<uint64_t> stringBegins;
    Column<char> description; ///< everything that is not a table: see store_description.h
    Column<char> resumeIndex;

    /// Calls f(table name, column) for every column; columns with the same table name are equally long.
    template <typename F>
    void visit(F f)
    {
        const auto table = [&f](auto &columns) {
            std::apply([&](auto &...column) { (f(columns.kName, column), ...); }, columns.members());
        };
        table(slices);
        table(nesting);
        f("row_begins", rowBegins);
        f("lod", lodEntries);
        std::apply([&](auto &...joined) { (table(joined), ...); }, details.members());
        table(memory);
        table(instants);
        table(counters);
        table(flows);
        f("flows_by_slice", flowsBySlice);
        f("device_by_launch", deviceByLaunch);
        f("string_bytes", stringBytes);
        f("string_begins", stringBegins);
        f("description", description);
        f("resume_index", resumeIndex);
    }
};

/// Returns the XXH3 of the table name and element size of every column.
uint64_t storeSchemaHash();
/// Returns the kind of store that contains a trace.
const struct StoreKind &storeKind();

} // namespace riffle
