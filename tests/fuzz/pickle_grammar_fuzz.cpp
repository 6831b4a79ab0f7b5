// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/pickle_grammar.h"
#include "tests/fuzz/snapshot_checks.h"
#include "tests/support/chunked_source.h"

using namespace riffle;

/// Reads pickles that look like snapshots and share their parts, and queries them as the other targets do. No such
/// pickle may take much memory or time, whether it can be read or not.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const std::string pickle = test::PickleGrammar({data, size}).pickle();
    const test::Effort effort(pickle.size(), {.bytes = uint64_t(1) << 30, .bytesPerByte = 1000, .seconds = 20});
    test::ChunkedSource source(pickle);
    const auto snapshot = readMemoryPickle(source, "fuzz", {});
    if (!snapshot) {
        if (snapshot.error().file != "fuzz")
            test::fail("an error does not name the file: " + snapshot.error().text());
        return 0;
    }
    if (const std::string problem = test::snapshotProblem(**snapshot); !problem.empty())
        test::fail(problem);
    test::checkReplay(**snapshot);
    const SnapshotFacts facts(*snapshot);
    test::checkAllocator(facts);
    test::checkInstants(facts, 2, 0); // more would be slow: a small pickle becomes many rows
    return 0;
}
