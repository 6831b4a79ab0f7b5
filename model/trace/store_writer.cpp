// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/byte_stream.h"
#include "model/base/parallel.h"
#include "model/trace/store.h"
#include "model/trace/store_description.h"
#include "model/trace/store_file_writer.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <xxhash.h>

namespace riffle {

namespace {

/// A column to write: its bytes lie in one piece per segment, or in one.
struct Plan {
    uint32_t elementBytes = 1;
    uint64_t bytes = 0;
    uint64_t offset = 0;
    std::vector<std::span<const std::byte>> pieces;
    std::vector<uint64_t> pieceBegins; ///< bytes of the column before each piece

    template <typename T>
    void add(const Column<T> &column)
    {
        elementBytes = sizeof(T);
        if (column.empty())
            return;
        pieces.push_back(std::as_bytes(column.span()));
        pieceBegins.push_back(bytes);
        bytes += pieces.back().size();
    }

    /// The bytes [begin, begin + length) of the column.
    std::vector<std::span<const std::byte>> range(uint64_t begin, uint64_t length) const
    {
        std::vector<std::span<const std::byte>> parts;
        auto piece = static_cast<size_t>(
            std::upper_bound(pieceBegins.begin(), pieceBegins.end(), begin) - pieceBegins.begin() - 1);
        for (; length > 0; ++piece) {
            const auto from = static_cast<size_t>(begin - pieceBegins[piece]);
            const auto count = static_cast<size_t>(std::min<uint64_t>(length, pieces[piece].size() - from));
            parts.push_back(pieces[piece].subspan(from, count));
            begin += count;
            length -= count;
        }
        return parts;
    }
};

/// Points at the trace what is one column already; the segments' columns stay empty.
StoreTables tablesOf(const Trace &trace, std::string_view description, std::string_view resumeIndex)
{
    StoreTables tables;
    tables.operators = trace.operators;
    tables.python = trace.python;
    tables.device = trace.device;
    tables.collectives = trace.collectives;
    tables.syncs = trace.syncs;
    tables.memory = trace.memory;
    tables.instants = trace.instants;
    tables.counters = trace.counters;
    tables.flows = trace.flows;
    tables.flowsBySlice = trace.flowsBySlice;
    tables.deviceByLaunch = trace.deviceByLaunch;
    tables.stringBytes = trace.strings.bytes;
    tables.stringBegins = trace.strings.begins;
    tables.description = Column<char>(nullptr, description.data(), description.size());
    tables.resumeIndex = Column<char>(nullptr, resumeIndex.data(), resumeIndex.size());
    return tables;
}

template <typename Table>
void addSegmentTable(const Trace &trace, Table Segment::*table, std::vector<Plan> &plans)
{
    const size_t first = plans.size();
    Table columns;
    std::apply([&](auto &...column) { (plans.emplace_back().add(column), ...); }, columns.members());
    for (const auto &segment : trace.segments) {
        size_t plan = first;
        std::apply([&](const auto &...column) { (plans[plan++].add(column), ...); }, ((*segment).*table).members());
    }
}

/// In the order of StoreTables::visit().
std::vector<Plan> plansFor(const Trace &trace, StoreTables &tables)
{
    std::vector<Plan> plans;
    addSegmentTable(trace, &Segment::slices, plans);
    addSegmentTable(trace, &Segment::nesting, plans);
    Plan &rowBegins = plans.emplace_back();
    rowBegins.add(Column<uint32_t>());
    for (const auto &segment : trace.segments)
        rowBegins.add(segment->rowBegin);
    Plan &lod = plans.emplace_back();
    lod.add(Column<Ns>());
    for (const auto &segment : trace.segments) {
        for (const Column<Ns> &level : segment->lod.levels)
            lod.add(level);
    }
    size_t visited = 0;
    const size_t done = plans.size();
    tables.visit([&](const char *, const auto &column) {
        if (visited++ >= done)
            plans.emplace_back().add(column);
    });
    return plans;
}

struct Block {
    size_t plan;
    uint64_t begin;
    uint64_t length;
};

std::vector<Block> blocksOf(const std::vector<Plan> &plans)
{
    std::vector<Block> blocks;
    for (size_t plan = 0; plan < plans.size(); ++plan) {
        for (uint64_t begin = 0; begin < plans[plan].bytes; begin += kStoreBlock)
            blocks.push_back({plan, begin, std::min(kStoreBlock, plans[plan].bytes - begin)});
    }
    return blocks;
}

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

std::string contentsOf(const std::vector<Plan> &plans, const std::vector<uint64_t> &hashes)
{
    ByteWriter toc;
    toc.put<uint64_t>(plans.size());
    for (const Plan &plan : plans) {
        toc.put(plan.offset);
        toc.put(plan.bytes / plan.elementBytes);
        toc.put(plan.elementBytes);
    }
    toc.put<uint64_t>(hashes.size());
    for (const uint64_t hash : hashes)
        toc.put(hash);
    return toc.take();
}

uint64_t aligned(uint64_t offset) { return (offset + kStoreAlignment - 1) / kStoreAlignment * kStoreAlignment; }

} // namespace

Result<uint64_t> writeStore(const Trace &trace, std::string_view resumeIndex, const SourceIdentity &source,
                            const std::string &storePath, Task task)
{
    if (trace.info.part && !trace.info.trimmedFile)
        return Error{"only a part of the trace was read: it is not stored", storePath, std::nullopt};
    const std::string description = describeTrace(trace);
    StoreTables tables = tablesOf(trace, description, resumeIndex);
    std::vector<Plan> plans = plansFor(trace, tables);
    uint64_t end = kStoreDataBegin;
    for (Plan &plan : plans) {
        plan.offset = end;
        end = aligned(end + plan.bytes);
    }
    const std::vector<Block> blocks = blocksOf(plans);
    std::vector<uint64_t> hashes(blocks.size());

    StoreHeader header;
    header.schemaHash = storeSchemaHash();
    header.tocOffset = end;
    header.tocBytes = contentsOf(plans, hashes).size();
    header.fileBytes = header.tocOffset + header.tocBytes;
    header.sourceBytes = source.size;
    header.sourceModifiedNs = source.modifiedNs;
    header.sourceHash = source.contentHash;

    Result<std::unique_ptr<StoreFileWriter>> opened = StoreFileWriter::create(storePath, header.fileBytes);
    if (!opened)
        return opened.error();
    StoreFileWriter &file = **opened;

    std::atomic<int> failure{0};
    parallelFor(blocks.size(), [&](size_t index) {
        if (failure.load(std::memory_order_relaxed) != 0 || task.stopped())
            return;
        const Block &block = blocks[index];
        const auto parts = plans[block.plan].range(block.begin, block.length);
        hashes[index] = hashOf(parts);
        if (!file.write(plans[block.plan].offset + block.begin, parts))
            failure = errno;
    });
    if (failure != 0)
        return file.error(failure);
    if (task.stopped())
        return Error{"writing the store was stopped", storePath, std::nullopt, ErrorKind::Cancelled};

    const std::string toc = contentsOf(plans, hashes);
    header.tocHash = XXH3_64bits(toc.data(), toc.size());
    header.headerHash = XXH3_64bits(&header, offsetof(StoreHeader, headerHash));
    // The header comes last: without it the file is no store.
    if (!file.write(header.tocOffset, {std::as_bytes(std::span(toc))})
        || !file.write(0, {std::as_bytes(std::span(&header, 1))}))
        return file.error(errno);
    if (Result<void> placed = file.place(); !placed)
        return placed.error();
    return header.fileBytes;
}

} // namespace riffle
