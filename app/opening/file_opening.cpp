// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/file_opening.h"

#include <filesystem>
#include <utility>

namespace riffle {

FoundFile findFile(const std::string &path, const OpeningOptions &options)
{
    std::error_code failed, none;
    const auto bytes = std::filesystem::file_size(path, failed);
    const bool isStored = options.stores && std::filesystem::exists(options.stores->storePath(path), none);
    return {&importerOf(path), failed ? 0 : bytes, isStored};
}

Result<OpenedFile> openFile(const Importer &importer, const std::string &path, const OpeningOptions &options,
                            const Task &task)
{
    const auto any = [](auto opened) {
        return opened ? Result<OpenedFile>(std::move(*opened)) : Result<OpenedFile>(opened.error());
    };
    if (const char *why = whyNoPage(importer.kind))
        return Error{why, path, std::nullopt};
    if (importer.kind == FileKind::Snapshot)
        return any(openSnapshot(path, options, task));
    if (importer.kind != FileKind::Trace)
        return any(openMemoryFile(importer, path, options.import, task));
    return any(openTraceFile(path, options, task));
}

Result<OpenedTrace> openTraceFile(const std::string &path, const OpeningOptions &options, const Task &task)
{
    if (options.follows && !options.import.range && !options.import.steps)
        if (auto growing = openGrowingTrace(path, Extent::Begin); growing && *growing)
            return std::move(**growing);
    return openTrace(path, options.import, {options.stores, StorePolicy::Verify::Later, 0}, task);
}

} // namespace riffle
