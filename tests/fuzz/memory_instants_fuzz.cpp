// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/snapshot_checks.h"
#include "tests/support/chunked_source.h"

#include <string_view>

using namespace riffle;

/// Reads a snapshot and queries several instants of it; or, after a zero byte, parses rules.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    const test::Effort effort(size, {.bytes = uint64_t(1) << 30, .bytesPerByte = 1000});
    if (bytes.starts_with('\0')) {
        (void)MemoryRules::parse(bytes.substr(1), "fuzz");
        return 0;
    }
    test::ChunkedSource source(bytes);
    const auto snapshot = readMemoryPickle(source, "fuzz", {});
    if (snapshot)
        test::checkInstants(SnapshotFacts(*snapshot), 16, 3);
    return 0;
}
