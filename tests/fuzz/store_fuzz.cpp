// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/byte_stream.h"
#include "model/trace/store.h"
#include "model/trace/store_columns.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/store_mending.h"

#include <algorithm>
#include <cstring>
#include <vector>

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
    const test::Effort effort(size, {.bytes = 64 << 20, .bytesPerByte = 1000});
    std::vector<uint8_t> bytes(data, data + size);
    StoreHeader header;
    std::memcpy(header.magic, storeKind().magic, sizeof header.magic);
    header.version = storeKind().version;
    header.schemaHash = storeKind().schemaHash;
    test::mendHashes(bytes, header, [](uint64_t number, uint8_t *cells, const StoreColumn &column) {
        if (number < 2 && column.elementBytes == 8)
            tameTimes(cells, column.count);
    });
    const test::FuzzFile file(bytes.data(), bytes.size());
    const auto stored = openStore(file.path(), SourceIdentity{});
    if (stored) {
        [[maybe_unused]] const bool good(stored->file->verify({}));
        useTrace(*stored->trace);
    }
    return 0;
}
