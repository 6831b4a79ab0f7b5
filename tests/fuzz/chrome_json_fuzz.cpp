// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/parallel.h"
#include "model/ingest/chrome_json/importer.h"
#include "tests/support/chunked_source.h"
#include "tests/support/trace_difference.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace riffle;

namespace {

Result<std::shared_ptr<const Trace>> read(std::string_view text, size_t chunk, unsigned choice)
{
    ImportOptions options;
    options.memoryLimit = choice == 9 ? 1 << 20 : 256 << 20; // rarely small, because columns in a file are slow
    if (choice % 16 == 7)
        options.range = TimeSpan{Ns(choice) * 100, Ns(choice) * 1000};
    else if (choice % 16 == 8)
        options.steps = TimeSpan{1, 3};
    Result<std::shared_ptr<const Trace>> trace =
        importChromeJson("fuzz", test::ChunkedSource::opener(text, chunk), options, {});
    if (!trace)
        return trace;
    if (const std::string problem = test::sealProblem(**trace); !problem.empty()) {
        std::fprintf(stderr, "%s\n", problem.c_str());
        std::abort();
    }
    return trace;
}

} // namespace

/// Runs the whole importer, once on text in memory and once on the same text in pieces: both must give the same trace.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    setWorkerCount(data[0] % 32 == 31 ? 3 : 1);
    const std::string_view text(reinterpret_cast<const char *>(data) + 1, size - 1);
    const auto whole = read(text, 0, data[0]);
    if (data[0] % 8 != 0)
        return 0; // reading in pieces takes ten times as long
    const auto pieces = read(text, 1 + data[0] % 61, data[0]);
    if (bool(whole) != bool(pieces)) {
        std::fprintf(stderr, "only one of the two could be read: %s\n",
                     (whole ? pieces : whole).error().text().c_str());
        std::abort();
    }
    if (!whole)
        return 0;
    if (const std::string difference = test::traceDifference(**whole, **pieces); !difference.empty()) {
        std::fprintf(stderr, "reading in pieces gives a different trace: %s\n", difference.c_str());
        std::abort();
    }
    return 0;
}
