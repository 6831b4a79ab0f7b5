// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/snapshot_columns.h"
#include "model/query/tables/tables.h"

namespace riffle {

namespace {

using Search = QueryColumn::Search;

const MemorySegment &segmentOf(const QueryRow &row) { return row.snapshot().memory().segments[row.number]; }
const MemoryBlock &blockOfRow(const QueryRow &row) { return row.snapshot().memory().blocks[row.number]; }

/// A column of bytes that a segment records.
template <int64_t MemorySegment::*bytes>
QueryColumn segmentBytes(const char *name, const char *meaning)
{
    return integerColumn(name, meaning, [](QueryRow &row) { return segmentOf(row).*bytes; });
}

} // namespace

QueryTable segmentsTable()
{
    QueryTable table{"segments", "The segments of the final state", {}, nullptr, enterAny};
    table.rows = [](const QueryFile &file) { return static_cast<uint32_t>(snapshotOf(file).memory().segments.size()); };
    table.columns = withSnapshot({
        integerColumn("id", "The segment, unique in its snapshot", numberOf, Search::Unique),
        idColumn("device", "Number of the device", [](QueryRow &row) { return int64_t{segmentOf(row).device}; }),
        idColumn("host", "1 for pinned memory of the host, 0 for memory of a device",
                 [](QueryRow &row) { return int64_t{segmentOf(row).host}; }),
        cellColumn("address", "TEXT", "Address in hexadecimal",
                   [](QueryRow &row, Cell &cell) { writeAddress(cell, segmentOf(row).address); }),
        segmentBytes<&MemorySegment::total>("size", "Bytes"),
        segmentBytes<&MemorySegment::allocated>("allocated", "Bytes of the blocks that the program holds"),
        segmentBytes<&MemorySegment::active>("active",
                                             "Allocated, plus the blocks that are freed but wait for other streams"),
        segmentBytes<&MemorySegment::requested>("requested", "Bytes that the program requested of the active ones"),
        textColumn(
            "stream", "default stream, stream 0x1d2 …",
            [](QueryRow &row) { return int64_t{row.snapshot().streamOfSegment(row.number)}; },
            [](const QueryFile &file) -> const std::vector<std::string> & { return snapshotOf(file).streamNames(); }),
        textColumn(
            "pool", "default pool, pool (0, 1) …", [](QueryRow &row) { return int64_t{segmentOf(row).pool}; },
            [](const QueryFile &file) -> const std::vector<std::string> & { return snapshotOf(file).poolNames(); }),
        stringColumn(
            "kind", "large or small", [](QueryRow &row) { return segmentOf(row).type; }, true),
        idColumn("expandable", "1 if it is mapped and unmapped piece by piece",
                 [](QueryRow &row) { return int64_t{segmentOf(row).expandable}; }),
        integerColumn("blocks", "Number of its blocks", [](QueryRow &row) { return int64_t{segmentOf(row).blocks}; }),
        integerColumn("stack_id", "The stack that allocated it (stacks.stack_id)",
                      [](QueryRow &row) { return stackOrNull(segmentOf(row).stack); }),
    });
    return table;
}

QueryTable blocksTable()
{
    QueryTable table{"blocks", "The blocks of the segments in the final state", {}, nullptr, enterAny};
    table.rows = [](const QueryFile &file) { return static_cast<uint32_t>(snapshotOf(file).memory().blocks.size()); };
    table.columns = withSnapshot({
        integerColumn("id", "The block, unique in its snapshot", numberOf, Search::Unique),
        idColumn("segment_id", "The segment (segments.id)",
                 [](QueryRow &row) { return idOrNull(row.snapshot().segmentOfBlock(row.number)); }),
        cellColumn("address", "TEXT", "Address in hexadecimal",
                   [](QueryRow &row, Cell &cell) { writeAddress(cell, blockOfRow(row).address); }),
        integerColumn("size", "Bytes", [](QueryRow &row) { return blockOfRow(row).size; }),
        integerColumn("requested", "Requested bytes; the size if they are not recorded",
                      [](QueryRow &row) { return blockOfRow(row).requested; }),
        textColumn(
            "state", "active_allocated, active_pending_free or inactive",
            [](QueryRow &row) { return stateIndex(blockOfRow(row).state); }, stateWords),
        integerColumn("stack_id", "The stack that allocated it (stacks.stack_id)",
                      [](QueryRow &row) { return stackOrNull(blockOfRow(row).stack); }),
    });
    return table;
}

} // namespace riffle
