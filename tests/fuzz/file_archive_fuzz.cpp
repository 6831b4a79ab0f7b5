// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/archive_unpacking.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/require.h"
#include "tests/support/archives.h"

#include <filesystem>

using namespace riffle;
namespace fs = std::filesystem;

/// Unpacks an archive: all that it writes lies in the folder, is a plain file, and is within the limit.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const test::Effort effort(size, {.bytes = 64 << 20, .bytesPerByte = 1000});
    const test::FuzzFile file(data, size);
    const test::TemporaryFolder folder;
    fs::create_directory(folder.file("in"));
    UnpackLimits limits;
    limits.mostBytes = 4 << 20;
    limits.mostMembers = 100;
    limits.leastFree = 0;
    const auto skipped = unpackArchive(file.path(), folder.file("in"), limits, {});
    uint64_t bytes = 0;
    for (const auto &entry : fs::recursive_directory_iterator(folder.path())) {
        test::require(!entry.is_symlink() && (entry.is_directory() || entry.is_regular_file()), "not a plain file");
        bytes += entry.is_regular_file() ? entry.file_size() : 0;
        test::require(entry.path() == folder.file("in") || entry.path().string().starts_with(folder.file("in/")),
                      "outside the folder");
    }
    test::require(bytes <= limits.mostBytes, "beyond the limit");
    if (skipped)
        for (const SkippedFile &one : *skipped)
            test::require(!one.why.empty(), "skipped without a reason");
    return 0;
}
