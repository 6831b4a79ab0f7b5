// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/importer.h"
#include "model/ingest/collector_log/kineto_export.h"
#include "model/ingest/collector_log/log_tail.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/support/import_text.h"
#include "tests/support/trace_difference.h"

#include <riffle/wire.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <xxhash.h>

using namespace riffle;

namespace {

/// Corrects the checksums, so that the code after those checks is reached too.
void mend(std::vector<uint8_t> &bytes)
{
    wire::FileHeader header{};
    if (bytes.size() < sizeof header)
        return;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::memcpy(header.magic, wire::kMagic, sizeof header.magic);
    header.version = wire::kVersion;
    header.headerBytes = sizeof header;
    header.checksum = 0;
    header.checksum = XXH3_64bits(&header, sizeof header);
    std::memcpy(bytes.data(), &header, sizeof header);
    for (size_t at = sizeof header; bytes.size() - at >= sizeof(wire::ChunkHeader);) {
        wire::ChunkHeader chunk;
        std::memcpy(&chunk, bytes.data() + at, sizeof chunk);
        chunk.magic = wire::kChunkMagic;
        chunk.storedBytes =
            std::min<uint32_t>(chunk.storedBytes, static_cast<uint32_t>(bytes.size() - at - sizeof chunk));
        chunk.rawBytes = std::min<uint32_t>(chunk.rawBytes, 1 << 16); // large outputs would only take time
        if (!(chunk.flags & wire::kZstd))
            chunk.rawBytes = chunk.storedBytes;
        chunk.checksum = 0;
        chunk.checksum = XXH3_64bits_withSeed(&chunk, sizeof chunk,
                                              XXH3_64bits(bytes.data() + at + sizeof chunk, chunk.storedBytes));
        std::memcpy(bytes.data() + at, &chunk, sizeof chunk);
        at += sizeof chunk + chunk.storedBytes;
    }
}

void fail(const char *what)
{
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

/// Checks that every slice has the text of an event.
void checkTexts(const Trace &trace)
{
    for (uint32_t id = 0; id < std::min<uint64_t>(trace.sliceCount(), 100); ++id) {
        const Slice slice = *trace.slice(SliceId(id));
        const auto text = trace.source->read(slice.data.sourceOffset, slice.data.sourceLength);
        if (!text || text->size() != slice.data.sourceLength || !text->starts_with("{\"ph\":\""))
            fail("a slice has no text");
        const size_t end = text->find_last_not_of(' ');
        if ((*text)[end] != '}')
            fail("the text of a slice is cut");
    }
}

/// Reads a log chunk by chunk, as if it grew.
void readInBatches(const std::string &path)
{
    const auto log = CollectorLog::open(path);
    if (!log)
        return;
    LogTail tail;
    for (bool isComplete = false; !isComplete;) {
        TraceWriter rows(std::make_shared<ColumnMemory>()), open(std::make_shared<ColumnMemory>());
        const auto batch = tail.next(*log, rows, 1);
        if (!batch || (batch->chunks == 0 && !batch->isComplete))
            fail("a batch reads nothing");
        isComplete = batch->isComplete;
        tail.addOpen(open);
        tail.addNames(open);
    }
    if ((*log)->closed() != (tail.marks().of(LaneKind::Thread) == SettledMarks::kEverything))
        fail("the end of the log is not its last mark");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::vector<uint8_t> bytes(data, data + size);
    mend(bytes);
    const test::FuzzFile file(bytes.data(), bytes.size());
    ImportOptions options;
    options.memoryLimit = 256 << 20;
    if (size % 8 == 3)
        readInBatches(file.path());
    if (size % 16 == 7)
        options.range = TimeSpan{Ns(size), Ns(size) * 1000};
    else if (size % 16 == 8)
        options.steps = TimeSpan{1, 5};
    const auto trace = importCollectorLog(file.path(), options, {});
    if (!trace)
        return 0;
    if (const std::string problem = test::sealProblem(**trace); !problem.empty())
        fail(problem.c_str());
    checkTexts(**trace);
    if (size % 4 == 0) {
        std::string json;
        const auto report =
            exportKinetoJson(file.path(), [&](std::string_view text) { return json += text, Result<void>(); }, {});
        if (!report || !test::importText(json))
            fail("the exported trace cannot be opened");
    }
    return 0;
}
