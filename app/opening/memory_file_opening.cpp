// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/memory_file_opening.h"

#include "model/ingest/memory_log/memory_log.h"
#include "model/ingest/memory_timeline/memory_timeline.h"

namespace riffle {

bool isMemoryFile(const std::string &path) { return isMemoryTimeline(path) || isMemoryLog(path); }

Result<OpenedMemoryFile> openMemoryFile(const std::string &path, const ImportOptions &options, Task task)
{
    OpenedMemoryFile opened;
    opened.path = path;
    if (const auto identity = SourceIdentity::of(path))
        opened.identity = *identity;
    if (isMemoryTimeline(path)) {
        auto timeline = readMemoryTimeline(path, options, task);
        if (!timeline)
            return timeline.error();
        if ((*timeline)->damage)
            opened.damage = (*timeline)->damage->text();
        opened.file.timeline = std::move(*timeline);
        return opened;
    }
    auto log = readMemoryLog(path, options, task);
    if (!log)
        return log.error();
    for (const MemoryLogRank &rank : (*log)->ranks)
        if (rank.damage && opened.damage.empty())
            opened.damage = rank.damage->text();
    opened.file.log = std::move(*log);
    return opened;
}

} // namespace riffle
