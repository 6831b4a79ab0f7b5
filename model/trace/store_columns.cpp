// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/store_columns.h"

#include "model/base/byte_stream.h"
#include "model/base/parallel.h"
#include "model/trace/store_file_writer.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <memory>
#include <xxhash.h>

namespace riffle {

namespace {

/// A part of a column: one MiB, or less at its end.
struct Block {
    const StorePlan *plan;
    uint64_t offset; ///< in the file
    uint64_t begin;  ///< in the column
    uint64_t length;
};

uint64_t aligned(uint64_t offset) { return (offset + kStoreAlignment - 1) / kStoreAlignment * kStoreAlignment; }

uint64_t hashOf(const std::vector<std::span<const std::byte>> &parts)
{
    if (parts.size() == 1)
        return XXH3_64bits(parts[0].data(), parts[0].size());
    const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t *)> hash(XXH3_createState(), XXH3_freeState);
    XXH3_64bits_reset(hash.get());
    for (const auto &part : parts)
        XXH3_64bits_update(hash.get(), part.data(), part.size());
    return XXH3_64bits_digest(hash.get());
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

} // namespace

void StorePlan::add(std::span<const std::byte> bytes, uint32_t elementBytes)
{
    assert(elementBytes > 0 && bytes.size() % elementBytes == 0);
    m_elementBytes = elementBytes;
    if (bytes.empty())
        return;
    m_pieces.push_back(bytes);
    m_begins.push_back(m_bytes);
    m_bytes += bytes.size();
}

std::vector<std::span<const std::byte>> StorePlan::range(uint64_t begin, uint64_t length) const
{
    assert(within(begin, length, m_bytes));
    std::vector<std::span<const std::byte>> parts;
    auto piece = static_cast<size_t>(std::upper_bound(m_begins.begin(), m_begins.end(), begin) - m_begins.begin() - 1);
    for (; length > 0; ++piece) {
        const auto from = static_cast<size_t>(begin - m_begins[piece]);
        const auto count = static_cast<size_t>(std::min<uint64_t>(length, m_pieces[piece].size() - from));
        parts.push_back(m_pieces[piece].subspan(from, count));
        begin += count;
        length -= count;
    }
    return parts;
}

Result<uint64_t> writeStoreColumns(const StoreKind &kind, const std::vector<StorePlan> &plans,
                                   const SourceIdentity &source, const std::string &storePath, const Task &task)
{
    std::vector<StoreColumn> columns;
    std::vector<Block> blocks;
    uint64_t end = kStoreDataBegin;
    for (const StorePlan &plan : plans) {
        columns.push_back({end, plan.bytes() / plan.elementBytes(), plan.elementBytes()});
        for (uint64_t begin = 0; begin < plan.bytes(); begin += kStoreBlock)
            blocks.push_back({&plan, end + begin, begin, std::min(kStoreBlock, plan.bytes() - begin)});
        end = aligned(end + plan.bytes());
    }
    std::vector<uint64_t> hashes(blocks.size());

    StoreHeader header;
    std::memcpy(header.magic, kind.magic, sizeof header.magic);
    header.version = kind.version;
    header.schemaHash = kind.schemaHash;
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
        const auto parts = blocks[at].plan->range(blocks[at].begin, blocks[at].length);
        hashes[at] = hashOf(parts);
        if (!file.write(blocks[at].offset, parts))
            failure = errno;
    });
    if (failure != 0)
        return file.error(failure);
    if (task.stopped())
        return Error{"Writing the stored copy was stopped.", storePath, std::nullopt, ErrorKind::Cancelled};

    const std::string toc = contentsOf(columns, hashes);
    header.tocHash = XXH3_64bits(toc.data(), toc.size());
    header.headerHash = XXH3_64bits(&header, offsetof(StoreHeader, headerHash));
    // The header is written last: without it, the file is not a store.
    if (!file.write(header.tocOffset, {std::as_bytes(std::span(toc))}) ||
        !file.write(0, {std::as_bytes(std::span(&header, 1))}))
        return file.error(errno);
    if (const Result<void> placed = file.place(); !placed)
        return placed.error();
    return header.fileBytes;
}

Result<StoreHeader> readStoreHeader(const MappedFile &file, const StoreKind &kind, const SourceIdentity &source)
{
    StoreHeader header;
    if (file.size() < sizeof header)
        return storeDamaged(file.path(), "it is too short");
    std::memcpy(&header, file.data(), sizeof header);
    if (std::memcmp(header.magic, kind.magic, sizeof header.magic) != 0)
        return Error{kind.isNone, file.path(), std::nullopt};
    if (header.version != kind.version || header.byteOrder != StoreHeader().byteOrder ||
        header.schemaHash != kind.schemaHash)
        return Error{"The stored copy was written by another version of Riffle.", file.path(), std::nullopt,
                     ErrorKind::Changed};
    if (header.headerHash != XXH3_64bits(&header, offsetof(StoreHeader, headerHash)))
        return storeDamaged(file.path(), "the header is invalid");
    if (header.fileBytes != file.size() || !within(header.tocOffset, header.tocBytes, file.size()))
        return storeDamaged(file.path(), "the size is wrong");
    if (SourceIdentity{header.sourceBytes, header.sourceModifiedNs, header.sourceHash} != source)
        return Error{"The stored copy was made from another version of the file.", file.path(), std::nullopt,
                     ErrorKind::Changed};
    return header;
}

bool readStoreContents(const MappedFile &file, const StoreHeader &header, std::vector<StoreColumn> &columns,
                       std::vector<uint64_t> &hashes)
{
    const std::string_view bytes(reinterpret_cast<const char *>(file.data()) + header.tocOffset,
                                 static_cast<size_t>(header.tocBytes));
    if (XXH3_64bits(bytes.data(), bytes.size()) != header.tocHash)
        return false;
    ByteReader toc(bytes);
    uint64_t blocks = 0;
    for (uint64_t left = toc.getCount(20); left > 0; --left) {
        StoreColumn column;
        column.offset = toc.get<uint64_t>();
        column.count = toc.get<uint64_t>();
        column.elementBytes = toc.get<uint32_t>();
        if (column.elementBytes == 0 || column.offset % kStoreAlignment != 0 ||
            column.count > file.size() / column.elementBytes || !within(column.offset, column.bytes(), file.size()))
            return false;
        blocks += column.blocks();
        columns.push_back(column);
    }
    if (toc.getCount(8) != blocks || toc.left().size() != blocks * 8)
        return false;
    for (uint64_t block = 0; block < blocks; ++block)
        hashes.push_back(toc.get<uint64_t>());
    return toc.ok();
}

Error storeDamaged(const std::string &path, std::string_view what)
{
    return {std::string("The stored copy is damaged: ").append(what) + ".", path, std::nullopt};
}

Error storeCut(const std::string &source)
{
    return {"Its copy in the cache was cut while it was in use, so the answer may be wrong. Open the file again.",
            source, std::nullopt, ErrorKind::Changed};
}

} // namespace riffle
