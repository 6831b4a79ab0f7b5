// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/trace_opening.h"

#include "model/ingest/stored_trace.h"

#include <chrono>
#include <utility>

namespace riffle {

namespace {

Result<OpenedTrace> openStored(const std::string &path, const StoreFolder &stores, const SourceIdentity &identity)
{
    const Result<OpenedStore> stored = openStoredTrace(stores, path, identity);
    if (!stored)
        return stored.error();
    return OpenedTrace{stored->trace, identity, stored->file};
}

} // namespace

Result<OpenedTrace> openTrace(const std::string &path, const OpeningOptions &options, Task task)
{
    const Result<SourceIdentity> identity = SourceIdentity::of(path);
    if (!identity)
        return identity.error();
    if (options.stores && options.whole()) {
        const auto began = std::chrono::steady_clock::now();
        if (Result<OpenedTrace> stored = openStored(path, *options.stores, *identity)) {
            auto trace = std::make_shared<Trace>(*stored->trace);
            trace->info.loadSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
            stored->trace = std::move(trace);
            return stored;
        }
    }
    Result<std::shared_ptr<const Trace>> trace = importTrace(path, options.import, std::move(task));
    if (!trace)
        return trace.error();
    return OpenedTrace{*trace, *identity, nullptr};
}

Result<OpenedTrace> exchangeForStored(const OpenedTrace &opened, const StoreFolder &stores, Task task)
{
    const std::string &path = opened.trace->info.path;
    const Result<uint64_t> written = storeTrace(stores, *opened.trace, path, opened.identity, std::move(task));
    if (!written)
        return written.error();
    return openStored(path, stores, opened.identity);
}

} // namespace riffle
