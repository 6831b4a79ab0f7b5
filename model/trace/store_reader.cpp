// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/parallel.h"
#include "model/trace/store.h"
#include "model/trace/store_columns.h"
#include "model/trace/store_description.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <xxhash.h>

namespace riffle {

namespace {

/// Points the tables at the mapping. Returns false if element sizes do not match or the columns of a table differ in
/// length.
bool mapTables(const StoreFile &file, StoreTables &tables)
{
    StoredColumns columns(file);
    bool areEquallyLong = true;
    const char *lastTable = nullptr;
    size_t lastCount = 0;
    tables.visit([&](const char *table, auto &column) {
        columns.take(column);
        areEquallyLong = areEquallyLong && (lastTable != table || column.size() == lastCount);
        lastTable = table;
        lastCount = column.size();
    });
    return areEquallyLong && columns.fit() && columns.atEnd();
}

/// True if the rows start at slice 0, ascend and end with the segment's last slice.
bool rowsFit(const Column<uint32_t> &rowBegin, uint32_t slices)
{
    if (rowBegin.empty())
        return slices == 0;
    return rowBegin[0] == 0 && rowBegin[rowBegin.size() - 1] == slices &&
           std::is_sorted(rowBegin.begin(), rowBegin.end());
}

bool cutSegments(const StoreTables &tables, const std::vector<StoredSegment> &segments, Trace &trace)
{
    size_t slice = 0;
    size_t rowBegin = 0;
    size_t entry = 0;
    for (const StoredSegment &stored : segments) {
        const size_t entries = lodEntryCount(stored.slices);
        if (!within(slice, stored.slices, tables.slices.start.size()) ||
            !within(slice, stored.slices, tables.nesting.self.size()) ||
            !within(rowBegin, stored.rowBegins, tables.rowBegins.size()) ||
            !within(entry, entries, tables.lodEntries.size()))
            return false;
        auto segment = std::make_shared<Segment>();
        segment->lane = stored.lane;
        segment->firstSlice = stored.firstSlice;
        segment->span = stored.span;
        segment->slices = tablePart(tables.slices, slice, stored.slices);
        segment->nesting = tablePart(tables.nesting, slice, stored.slices);
        static_cast<SideTables &>(*segment) =
            tables.details.ofSlices(stored.firstSlice, stored.firstSlice + stored.slices);
        segment->rowBegin = tables.rowBegins.slice(rowBegin, stored.rowBegins);
        segment->lod = lodFromEntries(tables.lodEntries.slice(entry, entries), stored.slices);
        if (!rowsFit(segment->rowBegin, stored.slices))
            return false;
        slice += stored.slices;
        rowBegin += stored.rowBegins;
        entry += entries;
        trace.segments.push_back(std::move(segment));
    }
    for (const Lane &lane : trace.lanes) {
        if (lane.instantEnd > tables.instants.time.size() || lane.counterEnd > tables.counters.time.size())
            return false;
    }
    return slice == tables.slices.start.size() && rowBegin == tables.rowBegins.size() &&
           entry == tables.lodEntries.size();
}

} // namespace

uint64_t storeSchemaHash()
{
    StoreTables tables;
    std::string schema;
    tables.visit([&]<typename T>(const char *table, const Column<T> &) {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kStoreAlignment);
        schema += table + std::string(1, ' ') + std::to_string(sizeof(T)) + '\n';
    });
    return XXH3_64bits(schema.data(), schema.size());
}

const StoreKind &storeKind()
{
    static const StoreKind kKind{{'R', 'I', 'F', 'F', 'L', 'E', 'S', 'T'},
                                 kStoreVersion,
                                 storeSchemaHash(),
                                 "This is not a stored copy of a trace."};
    return kKind;
}

Result<std::shared_ptr<const StoreFile>> StoreFile::open(const std::string &storePath, const StoreKind &kind,
                                                         const SourceIdentity &source)
{
    Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(storePath);
    if (!file)
        return file.error();
    const Result<StoreHeader> header = readStoreHeader(**file, kind, source);
    if (!header)
        return header.error();
    std::vector<StoreColumn> columns;
    std::vector<uint64_t> hashes;
    if (!readStoreContents(**file, *header, columns, hashes))
        return storeDamaged(storePath, "the table of contents is invalid");
    return std::shared_ptr<const StoreFile>(new StoreFile(std::move(*file), std::move(columns), std::move(hashes)));
}

StoreFile::StoreFile(std::shared_ptr<const MappedFile> file, std::vector<StoreColumn> columns,
                     std::vector<uint64_t> hashes)
    : m_file(std::move(file))
    , m_columns(std::move(columns))
    , m_hashes(std::move(hashes))
{
    uint64_t first = 0;
    for (const StoreColumn &column : m_columns) {
        m_firstHash.push_back(first);
        first += column.blocks();
    }
}

bool StoreFile::verifyBlock(size_t column, uint64_t block) const
{
    assert(column < m_columns.size() && block < m_columns[column].blocks());
    const StoreColumn &stored = m_columns[column];
    const uint64_t begin = block * kStoreBlock;
    const uint64_t length = std::min(kStoreBlock, stored.bytes() - begin);
    return XXH3_64bits(m_file->data() + stored.offset + begin, static_cast<size_t>(length)) ==
           m_hashes[static_cast<size_t>(m_firstHash[column] + block)];
}

bool StoreFile::verifyColumn(size_t column) const
{
    for (uint64_t block = 0; block < m_columns[column].blocks(); ++block) {
        if (!verifyBlock(column, block))
            return false;
    }
    return !m_file->lost();
}

Result<void> StoreFile::verify(Task task) const
{
    std::vector<std::pair<size_t, uint64_t>> blocks;
    for (size_t column = 0; column < m_columns.size(); ++column) {
        for (uint64_t block = 0; block < m_columns[column].blocks(); ++block)
            blocks.emplace_back(column, block);
    }
    std::atomic<bool> good{true};
    parallelFor(blocks.size(), [&](size_t index) {
        if (good.load(std::memory_order_relaxed) && !task.stopped() &&
            !verifyBlock(blocks[index].first, blocks[index].second))
            good = false;
    });
    if (m_file->lost() || !good)
        return storeDamaged(m_file->path(), "the columns do not match their hashes");
    if (task.stopped())
        return Error{"Checking the stored copy was stopped.", path(), std::nullopt, ErrorKind::Cancelled};
    return {};
}

Result<StoredTrace> openStore(const std::string &storePath, const SourceIdentity &source, const StoreOrigin &origin)
{
    const auto opened = StoreFile::open(storePath, storeKind(), source);
    if (!opened)
        return opened.error();
    StoreTables tables;
    if (!mapTables(**opened, tables))
        return storeDamaged(storePath, "the tables do not match the schema");

    StoredTrace stored;
    const auto filled = std::make_shared<Trace>();
    stored.file = *opened;
    stored.resumeIndex = tables.resumeIndex;
    // Columns that are read here are verified here; verify() checks the rest.
    size_t column = 0;
    bool good = true;
    tables.visit([&](const char *, const auto &visited) {
        const void *data = static_cast<const void *>(&visited);
        if (data == &tables.rowBegins || data == &tables.description)
            good = good && stored.file->verifyColumn(column);
        ++column;
    });
    std::vector<StoredSegment> segments;
    Trace &trace = *filled;
    if (!good || !readDescription({tables.description.data(), tables.description.size()}, trace, segments) ||
        !cutSegments(tables, segments, trace) || stored.file->mapped()->lost())
        return storeDamaged(storePath, "the description is invalid");

    trace.info.fromStore = true;
    trace.stored = stored.file->mapped();
    trace.strings = {tables.stringBytes, tables.stringBegins};
    trace.launches = LaunchLinks({tables.details.device.slice, tables.details.device.launch, tables.deviceByLaunch});
    trace.memory = tables.memory;
    trace.instants = tables.instants;
    trace.counters = tables.counters;
    trace.flows = tables.flows;
    trace.flowsBySlice = tables.flowsBySlice;
    trace.info.path = origin.path;
    if (origin.openText)
        trace.source = origin.openText(stored.resumeIndex, stored.file);
    stored.trace = filled;
    return stored;
}

} // namespace riffle
