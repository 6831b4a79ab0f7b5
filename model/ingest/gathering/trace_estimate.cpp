// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/trace_estimate.h"

#include "model/base/memory_use.h"
#include "model/base/output_file.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/gathering/unpacked_folders.h"
#include "model/trace/trace.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

namespace riffle {

namespace {

constexpr size_t kCopyChunk = 1 << 20;

struct Head {
    uint64_t textBytes = 0; ///< that were copied
    uint64_t fileBytes = 0; ///< of the file that they came from
};

/// Copies the first bytes of a trace's text.
Result<Head> copyHead(ByteSource &source, const std::string &place, uint64_t headBytes, const Task &task)
{
    const auto out = OutputFile::create(place, {});
    if (!out)
        return out.error();
    Head head;
    std::vector<char> chunk(kCopyChunk);
    while (head.textBytes < headBytes && !task.stopped()) {
        const auto got = source.read({chunk.data(), std::min<uint64_t>(chunk.size(), headBytes - head.textBytes)});
        if (!got)
            return got.error();
        if (*got == 0)
            break;
        if (const auto written = (*out)->write({chunk.data(), *got}); !written)
            return written.error();
        head.textBytes += *got;
    }
    head.fileBytes = source.fileBytesRead();
    const Result<void> placed = (*out)->place();
    return placed ? Result<Head>(head) : placed.error();
}

Result<TraceEstimate> measured(const std::string &path, const std::string &place, const ImportOptions &options,
                               uint64_t headBytes, const Task &task)
{
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const auto source = ByteSource::open(path, {options.inflateLimit, options.spillFolder});
    if (!source)
        return source.error();
    const Result<Head> head = copyHead(**source, place, headBytes, task);
    if (!head)
        return head.error();
    const uint64_t before = memoryInUse();
    const auto trace = importTrace(place, options, {task.stop, nullptr});
    if (!trace)
        return trace.error().in(path);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const uint64_t after = memoryInUse();
    const double times =
        static_cast<double>((*source)->fileBytes()) / static_cast<double>(std::max<uint64_t>(head->fileBytes, 1));
    TraceEstimate estimate;
    estimate.textBytes = static_cast<uint64_t>(static_cast<double>(head->textBytes) * times);
    estimate.seconds = seconds * times;
    estimate.memoryBytes = static_cast<uint64_t>(static_cast<double>(after - std::min(before, after)) * times);
    for (const Step &step : (*trace)->steps)
        estimate.firstStep = std::min(estimate.firstStep.value_or(step.number), step.number);
    return estimate;
}

} // namespace

Result<TraceEstimate> estimateTrace(const std::string &path, const ImportOptions &options, const std::string &cache,
                                    uint64_t headBytes, const Task &task)
{
    const auto folder = UnpackedFolders(cache, UINT64_MAX).make();
    if (!folder)
        return folder.error();
    auto estimate = measured(path, folder->path + "/head", options, headBytes, task);
    std::error_code failed;
    std::filesystem::remove_all(folder->path, failed);
    return estimate;
}

} // namespace riffle
