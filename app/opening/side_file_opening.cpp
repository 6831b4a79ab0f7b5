// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/side_file_opening.h"

#include <utility>

namespace riffle {

namespace {

std::string damageOf(const MemoryTimeline &timeline)
{
    return timeline.damage ? timeline.damage->text() : std::string();
}

std::string damageOf(const MemoryLog &log)
{
    for (const MemoryLogRank &rank : log.ranks)
        if (rank.damage)
            return rank.damage->text();
    return {};
}

std::string damageOf(const FlightDump &dump)
{
    if (dump.damage)
        return dump.damage->text();
    return dump.unreadable ? dump.path + ": " + std::to_string(dump.unreadable) +
                                 " fields of another type than expected were left out."
                           : std::string();
}

} // namespace

Result<OpenedSideFile> openSideFile(const Importer &importer, const std::string &path, const ImportOptions &options,
                                    Task task)
{
    OpenedSideFile opened;
    opened.path = path;
    if (const auto identity = SourceIdentity::of(path))
        opened.identity = *identity;
    Result<ImportedFile> read = importer.open(path, options, std::move(task));
    if (!read)
        return read.error();
    if (auto *timeline = std::get_if<std::shared_ptr<const MemoryTimeline>>(&*read))
        opened.content = std::move(*timeline);
    else if (auto *dump = std::get_if<std::shared_ptr<const FlightDump>>(&*read))
        opened.content = std::move(*dump);
    else
        opened.content = std::get<std::shared_ptr<const MemoryLog>>(std::move(*read));
    opened.damage = std::visit([](const auto &content) { return damageOf(*content); }, opened.content);
    return opened;
}

} // namespace riffle
