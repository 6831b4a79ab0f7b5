// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/file_opening.h"

#include <algorithm>
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

std::vector<FileWithoutPage> leaveOutWithoutPage(GatheredFiles &gathered, std::vector<FoundFile> &found)
{
    std::vector<FileWithoutPage> left;
    const auto hasPage = [](const FoundFile &file) { return whyNoPage(file.importer->kind) == nullptr; };
    if (std::ranges::none_of(found, hasPage))
        return left; // opening them says why
    size_t kept = 0;
    for (size_t at = 0; at < found.size(); ++at) {
        if (!hasPage(found[at]))
            left.push_back({gathered.names[at], found[at].importer->kind});
        if (hasPage(found[at])) {
            found[kept] = found[at];
            std::swap(gathered.paths[kept], gathered.paths[at]);
            std::swap(gathered.names[kept++], gathered.names[at]);
        } else if (gathered.skipped.size() < GatheredFiles::kMostListed) {
            gathered.skipped.push_back({gathered.names[at], whyNoPage(found[at].importer->kind), false});
        } else {
            ++gathered.skippedMore;
        }
    }
    found.resize(kept);
    gathered.paths.resize(kept);
    gathered.names.resize(kept);
    return left;
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
        return any(openSideFile(importer, path, options.import, task));
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
