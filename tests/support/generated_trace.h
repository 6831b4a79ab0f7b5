// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "tests/support/byte_sink.h"
#include "tests/support/trace_generator.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>

namespace riffle::bench {

/// Returns a drain that gives one in so many events of a category another name of the same length.
inline test::ByteSink::Drain renaming(test::ByteSink::Drain drain, const std::string &category, uint32_t oneIn)
{
    const std::string before = fmt::format("\"cat\": \"{}\", \"name\": \"", category);
    return [drain, before, oneIn, seen = uint64_t(0)](std::string_view text) mutable {
        std::string changed(text);
        for (size_t at = changed.find(before); at != changed.npos; at = changed.find(before, at)) {
            at += before.size();
            // Not in regular distances, so that no call of a step is always the one.
            if (++seen * 0x9E3779B97F4A7C15 >> 32 < (uint64_t(1) << 32) / oneIn && at < changed.size())
                changed[at] = '_';
        }
        return drain(changed);
    };
}

/// Returns a generated trace with about this number of slices, imported from a file that is gone afterwards; with
/// `renamedOneIn`, so many kernels and operators have another name. Ends the program with an error if it cannot be
/// imported.
inline std::shared_ptr<const Trace> generatedTrace(uint64_t slices, uint32_t seed = 1, uint32_t renamedOneIn = 0)
{
    const auto path = std::filesystem::temp_directory_path() / fmt::format("riffle-generated-{}.json", ::getpid());
    {
        test::TraceOptions options;
        options.targetBytes = slices * 430;
        options.seed = seed;
        std::FILE *file = std::fopen(path.c_str(), "wb");
        test::ByteSink::Drain drain = test::ByteSink::toFile(file);
        if (renamedOneIn > 0)
            drain = renaming(renaming(drain, "kernel", renamedOneIn), "cpu_op", renamedOneIn);
        test::ByteSink sink(drain);
        test::generateTrace(options, sink);
        sink.flush();
        std::fclose(file);
    }
    auto trace = importTrace(path.string(), {}, {});
    std::filesystem::remove(path);
    if (!trace) {
        fmt::print(stderr, "{}\n", trace.error().text());
        std::exit(1);
    }
    return *trace;
}

} // namespace riffle::bench
