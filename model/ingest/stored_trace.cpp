// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/stored_trace.h"

#include "model/ingest/byte_source.h"
#include "model/ingest/collector_log/collector_log.h"
#include "model/ingest/collector_log/log_text.h"

namespace riffle {

Result<OpenedStore> openStoredTrace(const StoreFolder &folder, const std::string &path, const SourceIdentity &source)
{
    Result<StoredTrace> stored = folder.open(path, source);
    if (!stored)
        return stored.error();
    if (CollectorLog::isLog(path)) {
        stored->trace->source = openLogText(path);
        return OpenedStore{stored->trace, stored->file};
    }
    // The index stays in the store's mapping: of a large zstd file it holds all the text, compressed.
    const Column<char> &index = stored->resumeIndex;
    Result<std::shared_ptr<const SourceText>> text = openSourceText(path, {index.data(), index.size()}, stored->file);
    if (!text)
        return text.error();
    stored->trace->source = *text;
    return OpenedStore{stored->trace, stored->file};
}

Result<uint64_t> storeTrace(const StoreFolder &folder, const Trace &trace, const std::string &path,
                            const SourceIdentity &source, Task task)
{
    const std::string index = trace.source ? trace.source->resumeIndex() : std::string();
    return folder.write(trace, index, path, source, task);
}

} // namespace riffle
