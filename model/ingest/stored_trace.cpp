// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/stored_trace.h"

#include "model/ingest/byte_source.h"
#include "model/ingest/importers.h"

#include <optional>

namespace riffle {

Result<OpenedStore> openStoredTrace(const StoreFolder &folder, const std::string &path, const SourceIdentity &source)
{
    std::optional<Error> noText;
    const auto openText = [&](const Column<char> &index,
                              std::shared_ptr<const StoreFile> file) -> std::shared_ptr<const SourceText> {
        if (const auto ownText = traceImporterOf(path).openText)
            return ownText(path);
        // The index stays in the store's mapping: for a large zstd file, it contains the whole text, compressed.
        Result<std::shared_ptr<const SourceText>> text =
            openSourceText(path, {index.data(), index.size()}, std::move(file));
        if (!text)
            noText = text.error();
        return text ? *text : nullptr;
    };
    const Result<StoredTrace> stored = folder.open({path, openText}, source);
    if (!stored)
        return stored.error();
    if (noText)
        return *noText;
    return OpenedStore{stored->trace, stored->file};
}

Result<uint64_t> storeTrace(const StoreFolder &folder, const Trace &trace, const std::string &path,
                            const SourceIdentity &source, Task task)
{
    const std::string index = trace.source ? trace.source->resumeIndex() : std::string();
    return folder.write(trace, index, path, source, task);
}

} // namespace riffle
