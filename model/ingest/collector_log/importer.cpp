// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/importer.h"

#include "model/ingest/collector_log/log_info.h"
#include "model/ingest/collector_log/log_pass.h"
#include "model/ingest/collector_log/log_text.h"

#include <chrono>

namespace riffle {

namespace {

using Clock = std::chrono::steady_clock;

Result<std::shared_ptr<const Trace>> importSince(Clock::time_point began,
                                                 const std::shared_ptr<const CollectorLog> &opened,
                                                 const std::string &path, const ImportOptions &options,
                                                 const Task &task)
{
    const CollectorLog &log = *opened;
    if (log.rawBytes() > options.inflateLimit)
        return Error{"The log inflates to more than the limit of " + std::to_string(options.inflateLimit) + " bytes.",
                     path, std::nullopt, ErrorKind::Limit};
    const std::shared_ptr<const LogIndex> index = LogIndex::of(log);
    std::optional<KeptPart> part;
    if (options.range || options.steps) {
        Result<KeptPart> resolved = resolvePart(options, task, [&](TraceBuilder &scan, PartFilter filter) {
            const Result<void> read = LogPass(log, *index, scan, filter, task).run();
            return read ? Result<TimeSpan>(TimeSpan{}) : read.error();
        });
        if (!resolved)
            return resolved.error().in(path);
        part = std::move(*resolved);
    }
    TraceBuilder builder(columnMemory(options));
    LogPass pass(log, *index, builder, PartFilter(part ? &*part : nullptr), task);
    pass.showPreview(options.preview);
    if (const Result<void> read = pass.run(); !read)
        return read.error().in(path);
    TraceInfo info = traceInfoOf(path, log, *index, pass.facts());
    if (part) {
        info.part = part->span;
        info.partSteps = options.steps;
    }
    builder.completeWith([&](Trace &trace) {
        trace.report = placedInFiles(trace.report, log);
        trace.report.merge(log.report());
        trace.info.loadSeconds = std::chrono::duration<double>(Clock::now() - began).count();
    });
    auto sealed = builder.seal(std::move(info), openLogText(opened, index), pass.facts().report(), task);
    if (!sealed)
        return sealed.error();
    if (task.progress)
        task.progress->stage = Progress::Stage::Done;
    return sealed;
}

} // namespace

Result<std::shared_ptr<const Trace>> importCollectorLog(const std::string &path, const ImportOptions &options,
                                                        Task task)
{
    const auto began = Clock::now();
    const Result<std::shared_ptr<const CollectorLog>> opened = CollectorLog::open(path);
    return opened ? importSince(began, *opened, path, options, task) : opened.error();
}

Result<std::shared_ptr<const Trace>> importOpenLog(const std::shared_ptr<const CollectorLog> &log,
                                                   const std::string &path, const ImportOptions &options, Task task)
{
    return importSince(Clock::now(), log, path, options, task);
}

} // namespace riffle
