// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/trace_opening.h"

#include "model/ingest/importers.h"
#include "model/ingest/stored_trace.h"

#include <cassert>
#include <chrono>
#include <utility>

namespace riffle {

namespace {

constexpr uint64_t kFirstBytes = 8 << 20; ///< that are read before a trace that grows is shown

/// Opens a trace from its store; an Error if there is no valid one.
Result<OpenedTrace> openStored(const std::string &path, const StorePolicy &policy, const SourceIdentity &identity,
                               const Task &task)
{
    const auto began = std::chrono::steady_clock::now();
    const Result<OpenedStore> stored = openStoredTrace(*policy.folder, path, identity);
    if (!stored)
        return stored.error();
    if (policy.verify == StorePolicy::Verify::Before)
        if (const Result<void> intact = stored->file->verify({task.stop, nullptr}); !intact) {
            if (!task.stopped())
                policy.folder->remove(path);
            return intact.error();
        }
    auto trace = std::make_shared<Trace>(*stored->trace);
    trace->info.loadSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return OpenedTrace{std::move(trace), identity, stored->file, false, nullptr};
}

} // namespace

Result<OpenedTrace> openTrace(const std::string &path, const ImportOptions &options, const StorePolicy &policy,
                              Task task)
{
    const Result<SourceIdentity> identity = SourceIdentity::of(path);
    const bool mayStore = policy.folder && identity && !options.range && !options.steps;
    if (mayStore)
        if (Result<OpenedTrace> stored = openStored(path, policy, *identity, task))
            return stored;
    Result<std::shared_ptr<const Trace>> trace = importTrace(path, options, std::move(task));
    if (!trace)
        return trace.error();
    OpenedTrace opened;
    opened.storeWanted = mayStore && (*trace)->info.textBytes >= policy.storeFrom;
    opened.trace = std::move(*trace);
    if (identity)
        opened.identity = *identity;
    return opened;
}

Result<std::optional<OpenedTrace>> openGrowingTrace(const std::string &path, Extent extent)
{
    const Importer &importer = traceImporterOf(path);
    if (!importer.follow)
        return std::optional<OpenedTrace>();
    auto source = importer.follow(path);
    if (!source)
        return source.error();
    if (!*source)
        return std::optional<OpenedTrace>();
    OpenedTrace opened;
    opened.source = std::move(*source);
    while (!opened.trace) {
        auto first = opened.source->next(kFirstBytes);
        if (!first)
            return first.error();
        if (!*first)
            return std::optional<OpenedTrace>();
        if (!(*first)->recordedSpan().empty() || !opened.source->isBehind())
            opened.trace = std::move(*first);
    }
    while (extent == Extent::Whole && opened.source->isBehind()) {
        auto next = opened.source->next(kFirstBytes);
        if (!next)
            return next.error();
        if (*next)
            opened.trace = std::move(*next);
    }
    if (const Result<SourceIdentity> identity = SourceIdentity::of(path))
        opened.identity = *identity;
    return std::optional(std::move(opened));
}

Result<uint64_t> storeOpened(const OpenedTrace &opened, const StoreFolder &stores, Task task)
{
    assert(opened.storeWanted && opened.identity);
    return storeTrace(stores, *opened.trace, opened.trace->info.path, *opened.identity, std::move(task));
}

Result<OpenedTrace> exchangeForStored(const OpenedTrace &opened, const StoreFolder &stores, Task task)
{
    const Result<uint64_t> written = storeOpened(opened, stores, std::move(task));
    if (!written)
        return written.error();
    const Result<OpenedStore> stored = openStoredTrace(stores, opened.trace->info.path, *opened.identity);
    if (!stored)
        return stored.error();
    return OpenedTrace{stored->trace, opened.identity, stored->file, false, nullptr};
}

} // namespace riffle
