// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/changing_set/stress_files.h"

#include "model/ingest/importer.h"
#include "tests/model/analysis/findings/clean_run.h"
#include "tests/support/trace_generator.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace riffle::test {

std::string StressFiles::content(size_t file, size_t version)
{
    const std::string label = fmt::format("{} version {}", kNames[file], version);
    if (file == 4) {
        CleanRun run;
        run.steps = 3 + static_cast<int>(version);
        run.loading = 2 * kMs;
        run.exposedCollective = kMs;
        KinetoText text = run.text();
        text.top("traceName", '"' + label + '"');
        return text.text();
    }
    TraceOptions options;
    options.seed = static_cast<uint32_t>(1 + file * kVersions + version);
    options.rank = static_cast<int>(file);
    options.worldSize = 4;
    options.steps = 2 + static_cast<int>(version);
    options.layers = 1;
    options.traceName = label;
    options.startNanoseconds += static_cast<int64_t>(file) * 1'234'567;
    if (file == 3)
        options.startNanoseconds += 86'400'000'000'000;
    std::string text;
    ByteSink sink(ByteSink::toString(text));
    generateTrace(options, sink);
    sink.flush();
    return file == 1 ? gzipped(text) : file == 2 ? zstdCompressed(text) : text;
}

StressFiles::StressFiles()
{
    for (size_t file = 0; file < kTraces; ++file)
        for (size_t version = 0; version < kVersions; ++version) { // all versions are imported once, the first one last
            m_versions[file] = kVersions - 1 - version;
            rewrite(file);
            auto trace = importTrace(path(file), {}, {});
            if (!trace || !m_atRest.emplace(labelOf(**trace), *trace).second)
                std::abort();
        }
    writeFile(path(kTraces), "this is no trace");
}

void StressFiles::rewrite(size_t file)
{
    const std::string fresh = path(file) + ".new";
    writeFile(fresh, content(file, m_versions[file]++ % kVersions));
    if (std::rename(fresh.c_str(), path(file).c_str()) != 0)
        std::abort();
}

} // namespace riffle::test
