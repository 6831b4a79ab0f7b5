// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/trimmed_trace.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/support/import_text.h"
#include "tests/support/trace_difference.h"

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

using namespace riffle;

namespace {

void fail(const std::string &what)
{
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
}

/// Checks that a part contains no slice that the whole does not contain. Slices are identified by their place in the
/// source.
void checkPart(const Trace &whole, const Trace &part)
{
    std::set<uint64_t> places;
    for (uint32_t id = 0; id < whole.sliceCount(); ++id)
        places.insert(whole.slice(SliceId(id))->data.sourceOffset);
    for (uint32_t id = 0; id < part.sliceCount(); ++id)
        if (!places.contains(part.slice(SliceId(id))->data.sourceOffset))
            fail("a part has a slice that the whole does not have");
}

} // namespace

/// Reads a part of a trace, writes the same part as a file of its own, and reads that: both must have the same content.
/// The first two bytes choose the part.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    const test::Effort effort(size, {.bytes = uint64_t(1) << 30});
    ImportOptions options;
    options.memoryLimit = 256 << 20;
    const Ns first = data[0] & 127, last = first + 1 + data[1];
    if (data[0] & 128)
        options.steps = TimeSpan{first % 8, last % 8};
    else
        options.range = TimeSpan{first * 10'000, last * 10'000};
    const test::FuzzFile file(data + 2, size - 2);
    const auto part = importTrace(file.path(), options, {});
    std::string text;
    const auto written = writeTrimmedTrace(file.path(), options,
                                           [&](std::string_view piece) { return text += piece, Result<void>(); }, {});
    if (!part || !written)
        return 0;
    if (const std::string problem = test::sealProblem(**part); !problem.empty())
        fail(problem);
    if (options.range)
        if (const auto whole = importTrace(file.path(), {}, {}))
            checkPart(**whole, **part);
    const auto again = test::importText(text);
    if (!again)
        fail("the trimmed trace cannot be opened: " + again.error().text());
    if (const std::string difference = test::contentDifference(**part, **again); !difference.empty())
        fail("the trimmed trace has other content: " + difference);
    return 0;
}
