// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/import_text.h"

#include "model/base/parallel.h"
#include "model/ingest/chrome_json/importer.h"
#include "tests/support/chunked_source.h"

#include <algorithm>

namespace riffle::test {

Result<std::shared_ptr<const Trace>> importText(std::string_view text, size_t chunk, const ImportOptions &options,
                                                Task task)
{
    return importChromeJson("text", ChunkedSource::opener(text, chunk), options, std::move(task));
}

std::vector<std::string> sliceNames(const Trace &trace)
{
    std::vector<std::pair<uint64_t, std::string>> found;
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at)
            found.emplace_back(segment->slices.sourceOffset[at], trace.string(segment->slices.name[at]));
    std::sort(found.begin(), found.end());
    std::vector<std::string> names;
    for (auto &[offset, name] : found)
        names.push_back(std::move(name));
    return names;
}

WorkerCount::WorkerCount(unsigned count) { setWorkerCount(count); }
WorkerCount::~WorkerCount() { setWorkerCount(0); }

} // namespace riffle::test
