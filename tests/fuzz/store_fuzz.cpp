// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/byte_stream.h"
#include "model/trace/store.h"
#include "model/trace/store_columns.h"
#include "tests/fuzz/fuzz_file.h"

#include <algorithm>
#include <cstring>
#include <vector>
#include <xxhash.h>

using namespace riffle;

namespace {

/// Limits times as sealing does: sums of two must not overflow, so that a reader may add them. The first two columns
/// contain times.
void tameTimes(uint8_t *bytes, uint64_t count)
{
    for (uint64_t row = 0; row < count; ++row) {
        int64_t time = 0;
        std::memcpy(&time, bytes + row * 8, 8);
        time >>= 2;
        std::memcpy(bytes + row * 8, &time, 8);
    }
}

/// Corrects the hashes, so that the checks after them are reached too: bounds must be checked even if a hash matches.
void mendHashes(std::vector<uint8_t> &bytes)
{
    StoreHeader header;
    if (bytes.size() < sizeof header)
        return;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::memcpy(header.magic, storeKind().magic, sizeof header.magic);
    header.version = storeKind().version;
    header.byteOrder = StoreHeader().byteOrder;
    header.schemaHash = storeKind().schemaHash;
    header.fileBytes = bytes.size();
    header.sourceBytes = header.sourceHash = 0;
    header.sourceModifiedNs = 0;
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
                if (i < 2 && column.elementBytes == 8)
                    tameTimes(bytes.data() + column.offset, column.count);
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

/// Reads the data that a view would read.
void useTrace(const Trace &trace)
{
    for (uint32_t id = 0; id < std::min<uint64_t>(trace.sliceCount(), 200); ++id) {
        if (const auto slice = trace.slice(SliceId(id))) {
            trace.string(slice->data.name);
            trace.children(SliceId(id));
            trace.launchedBy(SliceId(id));
            trace.launchOf(SliceId(id));
        }
    }
    for (uint32_t lane = 0; lane < std::min<size_t>(trace.lanes.size(), 50); ++lane) {
        trace.laneName(LaneId(lane));
        for (uint32_t row = 0; row < std::min(trace.lanes[lane].rows, 10u); ++row)
            trace.sliceAt(LaneId(lane), row, trace.span.begin);
    }
    for (uint32_t process = 0; process < std::min<size_t>(trace.processes.size(), 50); ++process)
        trace.processName(ProcessId(process));
    for (const auto &segment : trace.segments) {
        for (uint32_t row = 0; row < std::min(segment->rows(), 10u); ++row) {
            const auto [first, last] = segment->overlapping(row, trace.span);
            if (first < last)
                segment->lod.longest(segment->slices.duration.span(), first, last);
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::vector<uint8_t> bytes(data, data + size);
    mendHashes(bytes);
    const test::FuzzFile file(bytes.data(), bytes.size());
    const auto stored = openStore(file.path(), SourceIdentity{});
    if (stored) {
        [[maybe_unused]] const bool good(stored->file->verify({}));
        useTrace(*stored->trace);
    }
    return 0;
}
