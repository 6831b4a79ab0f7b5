// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/memory_file_opening.h"

#include <utility>
#include <variant>

namespace riffle {

Result<OpenedMemoryFile> openMemoryFile(const Importer &importer, const std::string &path, const ImportOptions &options,
                                        Task task)
{
    OpenedMemoryFile opened;
    opened.path = path;
    if (const auto identity = SourceIdentity::of(path))
        opened.identity = *identity;
    Result<ImportedFile> read = importer.open(path, options, std::move(task));
    if (!read)
        return read.error();
    if (const auto *timeline = std::get_if<std::shared_ptr<const MemoryTimeline>>(&*read)) {
        if ((*timeline)->damage)
            opened.damage = (*timeline)->damage->text();
        opened.file.timeline = *timeline;
        return opened;
    }
    opened.file.log = std::get<std::shared_ptr<const MemoryLog>>(*read);
    for (const MemoryLogRank &rank : opened.file.log->ranks)
        if (rank.damage && opened.damage.empty())
            opened.damage = rank.damage->text();
    return opened;
}

} // namespace riffle
