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
#include <unistd.h>

namespace riffle::bench {

/// Returns a generated trace with about this number of slices, imported from a file that is gone afterwards. Ends the
/// program with an error if it cannot be imported.
inline std::shared_ptr<const Trace> generatedTrace(uint64_t slices)
{
    const auto path = std::filesystem::temp_directory_path() / fmt::format("riffle-generated-{}.json", ::getpid());
    {
        test::TraceOptions options;
        options.targetBytes = slices * 430;
        std::FILE *file = std::fopen(path.c_str(), "wb");
        test::ByteSink sink(test::ByteSink::toFile(file));
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
