// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/trace_opening.h"

#include "model/ingest/byte_source.h"

#include <chrono>

namespace riffle {

namespace {

Result<OpenedTrace> openStored(const std::string &path, const StoreFolder &stores, const SourceIdentity &identity)
{
    const auto begin = std::chrono::steady_clock::now();
    Result<StoredTrace> stored = stores.open(path, identity);
    if (!stored)
        return stored.error();
    const std::string_view index(stored->resumeIndex.data(), stored->resumeIndex.size());
    if (auto text = openSourceText(path, index))
        stored->trace->source = *text;
    stored->trace->info.path = path;
    stored->trace->info.fromStore = true;
    stored->trace->info.loadSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return OpenedTrace{stored->trace, identity, stored->file};
}

} // namespace

Result<OpenedTrace> openTrace(const std::string &path, const OpeningOptions &options, Task task)
{
    const Result<SourceIdentity> identity = SourceIdentity::of(path);
    if (!identity)
        return identity.error();
    if (options.stores && options.whole()) {
        if (Result<OpenedTrace> stored = openStored(path, *options.stores, *identity))
            return stored;
    }
    Result<std::shared_ptr<const Trace>> trace = importTrace(path, options.import, std::move(task));
    if (!trace)
        return trace.error();
    return OpenedTrace{*trace, *identity, nullptr};
}

Result<OpenedTrace> storeTrace(const OpenedTrace &opened, const StoreFolder &stores, Task task)
{
    const std::string &path = opened.trace->info.path;
    const std::string index = opened.trace->source ? opened.trace->source->resumeIndex() : std::string();
    const Result<uint64_t> written = stores.write(*opened.trace, index, path, opened.identity, std::move(task));
    if (!written)
        return written.error();
    return openStored(path, stores, opened.identity);
}

} // namespace riffle
