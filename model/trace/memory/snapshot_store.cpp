// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/memory/snapshot_store.h"

#include "model/base/byte_stream.h"
#include "model/base/mapped_file.h"
#include "model/base/parallel.h"
#include "model/trace/memory/snapshot_description.h"
#include "model/trace/store_file_writer.h"
#include "model/trace/store_format.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <xxhash.h>

namespace riffle {

namespace {

constexpr char kMagic[8] = {'R', 'I', 'F', 'F', 'L', 'E', 'M', 'S'};
constexpr uint32_t kVersion = 1;

/// f(column) in the stored order.
template <typename Snapshot, typename F>
void visitColumns(Snapshot &snapshot, F f)
{
    auto &events = snapshot.events;
    f(events.action);
    f(events.address);
    f(events.size);
    f(events.stream);
    f(events.stack);
    f(events.time);
    f(events.pool);
    f(events.metadata);
    f(events.compileContext);
    f(events.category);
    f(events.forwardStack);
    f(snapshot.blocks);
    f(snapshot.frames);
    f(snapshot.stacks.begin);
    f(snapshot.stacks.frames);
    f(snapshot.strings.bytes);
    f(snapshot.strings.begins);
}

uint64_t schemaHash()
{
    std::string schema = "riffle memory snapshot\n";
    MemorySnapshot snapshot;
    visitColumns(snapshot, [&]<typename T>(const Column<T> &) {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kStoreAlignment);
        schema += std::to_string(sizeof(T)) + '\n';
    });
    return XXH3_64bits(schema.data(), schema.size());
}

uint64_t aligned(uint64_t offset) { return (offset + kStoreAlignment - 1) / kStoreAlignment * kStoreAlignment; }

Error damaged(const std::string &path, const char *what) { return {std::string("the store is damaged: ") + what, path, std::nullopt}; }

/// A MiB, or the end of a column.
struct Block {
    uint64_t offset; ///< in the file
    std::span<const std::byte> bytes;
};

void addBlocks(std::vector<Block> &blocks, uint64_t offset, std::span<const std::byte> bytes)
{
    for (uint64_t at = 0; at < bytes.size(); at += kStoreBlock)
        blocks.push_back({offset + at, bytes.subspan(at, std::min<uint64_t>(kStoreBlock, bytes.size() - at))});
}

std::string contentsOf(const std::vector<StoreColumn> &columns, const std::vector<uint64_t> &hashes)
{
    ByteWriter toc;
    toc.put<uint64_t>(columns.size());
    for (const StoreColumn &column : columns) {
        toc.put(column.offset);
        toc.put(column.count);
        toc.put(column.elementBytes);
    }
    toc.put<uint64_t>(hashes.size());
    for (const uint64_t hash : hashes)
        toc.put(hash);
    return toc.take();
}

/// With all places checked against the file.
bool readContents(const MappedFile &file, const StoreHeader &header, std::vector<StoreColumn> &columns, std::vector<uint64_t> &hashes)
{
    const std::string_view bytes(reinterpret_cast<const char *>(file.data()) + header.tocOffset, static_cast<size_t>(header.tocBytes));
    if (XXH3_64bits(bytes.data(), bytes.size()) != header.tocHash)
        return false;
    ByteReader toc(bytes);
    for (uint64_t left = toc.getCount(20); left > 0; --left) {
        StoreColumn column;
        column.offset = toc.get<uint64_t>();
        column.count = toc.get<uint64_t>();
        column.elementBytes = toc.get<uint32_t>();
        if (column.elementBytes == 0 || column.offset % kStoreAlignment != 0 || column.count > file.size() / column.elementBytes ||
            column.offset > file.size() || column.bytes() > file.size() - column.offset)
            return false;
        columns.push_back(column);
    }
    for (uint64_t left = toc.getCount(8); left > 0; --left)
        hashes.push_back(toc.get<uint64_t>());
    return toc.ok() && toc.left().empty();
}

Result<StoreHeader> readHeader(const MappedFile &file, const SourceIdentity &source)
{
    StoreHeader header;
    if (file.size() < sizeof header)
        return damaged(file.path(), "it is too short");
    std::memcpy(&header, file.data(), sizeof header);
    if (std::memcmp(header.magic, kMagic, sizeof header.magic) != 0)
        return Error{"this is no store of a snapshot", file.path(), std::nullopt};
    if (header.version != kVersion || header.byteOrder != StoreHeader().byteOrder || header.schemaHash != schemaHash())
        return Error{"the store was written by another version", file.path(), std::nullopt};
    if (header.headerHash != XXH3_64bits(&header, offsetof(StoreHeader, headerHash)))
        return damaged(file.path(), "its header");
    if (header.fileBytes != file.size() || header.tocOffset > file.size() || header.tocBytes > file.size() - header.tocOffset)
        return damaged(file.path(), "its size");
    if (SourceIdentity{header.sourceBytes, header.sourceModifiedNs, header.sourceHash} != source)
        return Error{"the store is of another version of the file", file.path(), std::nullopt, ErrorKind::Changed};
    return header;
}

} // namespace

Result<StoredSnapshot> openSnapshotStore(const std::string &storePath, const SourceIdentity &source, Task task)
{
    const Result<std::shared_ptr<const MappedFile>> opened = MappedFile::open(storePath);
    if (!opened)
        return opened.error();
    const std::shared_ptr<const MappedFile> file = *opened;
    const Result<StoreHeader> header = readHeader(*file, source);
    if (!header)
        return header.error();
    std::vector<StoreColumn> columns;
    std::vector<uint64_t> hashes;
    if (!readContents(*file, *header, columns, hashes))
        return damaged(storePath, "its table of contents");
    std::vector<Block> blocks;
    for (const StoreColumn &column : columns)
        addBlocks(blocks, column.offset, file->bytes().subspan(static_cast<size_t>(column.offset), static_cast<size_t>(column.bytes())));
    std::atomic<bool> good{blocks.size() == hashes.size()};
    parallelFor(good ? blocks.size() : 0, [&](size_t at) {
        if (good.load(std::memory_order_relaxed) && !task.stopped() && XXH3_64bits(blocks[at].bytes.data(), blocks[at].bytes.size()) != hashes[at])
            good = false;
    });
    if (task.stopped())
        return Error{"opening the store was stopped", storePath, std::nullopt, ErrorKind::Cancelled};
    if (!good || file->lost())
        return damaged(storePath, "its columns");

    StoredSnapshot stored;
    stored.snapshot = std::make_shared<MemorySnapshot>();
    size_t next = 0;
    bool fits = true;
    const auto take = [&]<typename T>(Column<T> &column) {
        fits = fits && next < columns.size() && columns[next].elementBytes == sizeof(T);
        if (!fits)
            return;
        column = Column<T>(file, reinterpret_cast<const T *>(file->data() + columns[next].offset), static_cast<size_t>(columns[next].count));
        ++next;
    };
    visitColumns(*stored.snapshot, take);
    Column<char> description;
    take(description);
    while (fits && next < columns.size())
        take(stored.beside.emplace_back());
    if (!fits || !readSnapshotDescription({description.data(), description.size()}, *stored.snapshot))
        return damaged(storePath, "its description");
    return stored;
}

Result<uint64_t> writeSnapshotStore(const MemorySnapshot &snapshot, std::span<const std::span<const std::byte>> beside,
                                    const SourceIdentity &source, const std::string &storePath, Task task)
{
    if (snapshot.damage)
        return Error{"only the beginning of the snapshot could be read: it is not stored", storePath, std::nullopt};
    std::vector<StoreColumn> columns;
    std::vector<Block> blocks;
    uint64_t end = kStoreDataBegin;
    const auto add = [&](std::span<const std::byte> bytes, uint32_t elementBytes) {
        columns.push_back({end, bytes.size() / elementBytes, elementBytes});
        addBlocks(blocks, end, bytes);
        end = aligned(end + bytes.size());
    };
    visitColumns(snapshot, [&]<typename T>(const Column<T> &column) { add(std::as_bytes(column.span()), sizeof(T)); });
    const std::string description = describeSnapshot(snapshot);
    add(std::as_bytes(std::span(description)), 1);
    for (const std::span<const std::byte> bytes : beside)
        add(bytes, 1);
    std::vector<uint64_t> hashes(blocks.size());

    StoreHeader header;
    std::memcpy(header.magic, kMagic, sizeof header.magic);
    header.version = kVersion;
    header.schemaHash = schemaHash();
    header.tocOffset = end;
    header.tocBytes = contentsOf(columns, hashes).size();
    header.fileBytes = header.tocOffset + header.tocBytes;
    header.sourceBytes = source.size;
    header.sourceModifiedNs = source.modifiedNs;
    header.sourceHash = source.contentHash;
    Result<std::unique_ptr<StoreFileWriter>> opened = StoreFileWriter::create(storePath, header.fileBytes);
    if (!opened)
        return opened.error();
    StoreFileWriter &file = **opened;
    std::atomic<int> failure{0};
    parallelFor(blocks.size(), [&](size_t at) {
        if (failure.load(std::memory_order_relaxed) != 0 || task.stopped())
            return;
        hashes[at] = XXH3_64bits(blocks[at].bytes.data(), blocks[at].bytes.size());
        if (!file.write(blocks[at].offset, {blocks[at].bytes}))
            failure = errno;
    });
    if (failure != 0)
        return file.error(failure);
    if (task.stopped())
        return Error{"writing the store was stopped", storePath, std::nullopt, ErrorKind::Cancelled};
    const std::string toc = contentsOf(columns, hashes);
    header.tocHash = XXH3_64bits(toc.data(), toc.size());
    header.headerHash = XXH3_64bits(&header, offsetof(StoreHeader, headerHash));
    // The header comes last: without it the file is no store.
    if (!file.write(header.tocOffset, {std::as_bytes(std::span(toc))}) || !file.write(0, {std::as_bytes(std::span(&header, 1))}))
        return file.error(errno);
    if (const Result<void> placed = file.place(); !placed)
        return placed.error();
    return header.fileBytes;
}

} // namespace riffle
