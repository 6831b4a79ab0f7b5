// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/snapshot_checks.h"
#include "tests/support/chunked_source.h"

#include <string_view>

using namespace riffle;
using test::fail;

/// Runs the whole reader and the replay, once on bytes in memory and once on the same bytes in pieces.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const test::Effort effort(size, {.bytes = uint64_t(1) << 30, .bytesPerByte = 1000});
    const std::string_view bytes(reinterpret_cast<const char *>(data), size - 1);
    test::ChunkedSource whole(bytes), pieces(bytes, 1 + data[size - 1] % 61);
    const auto mapped = readMemoryPickle(whole, "fuzz", {}), streamed = readMemoryPickle(pieces, "fuzz", {});
    if (bool(mapped) != bool(streamed)) {
        // The limit for an archive is higher than that for a plain file.
        if (!mapped && mapped.error().kind == ErrorKind::Limit)
            return 0;
        fail("only one of the two could be read: " + (mapped ? streamed : mapped).error().text());
    }
    if (!mapped) {
        if (mapped.error().text() != streamed.error().text() && mapped.error().kind != ErrorKind::Limit)
            fail(mapped.error().text() + " / " + streamed.error().text());
        return 0;
    }
    if (const std::string problem = test::snapshotProblem(**mapped); !problem.empty())
        fail(problem);
    if (const std::string difference = test::snapshotDifference(**mapped, **streamed); !difference.empty())
        fail("reading in pieces gives a different snapshot: " + difference);
    test::checkReplay(**mapped);
    test::checkAllocator(SnapshotFacts(*mapped));
    return 0;
}
