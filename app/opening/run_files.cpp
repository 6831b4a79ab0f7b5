// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/run_files.h"

#include "model/trace/run/known_place.h"

#include <utility>
#include <variant>

namespace riffle {

RunFile runFileOf(const TraceMember &member, std::string name)
{
    RunFile file;
    file.name = std::move(name);
    if (member.format == "Riffle log")
        file.kind = RunFileKind::Log;
    file.recorded.rank = member.rank;
    file.recorded.worldSize = member.worldSize;
    if (member.facts)
        knowPlace(file.recorded, *member.facts);
    if (member.state == MemberState::Failed)
        file.why = member.why;
    return file;
}

RunFile runFileOf(const OpenedSideFile &opened, std::string name)
{
    RunFile file;
    file.name = std::move(name);
    if (const auto *log = std::get_if<std::shared_ptr<const MemoryLog>>(&opened.content)) {
        file.kind = RunFileKind::MemoryLog;
        if ((*log)->ranks.size() > 1)
            for (const MemoryLogRank &rank : (*log)->ranks)
                file.parts.push_back(rank.name());
    } else if (const auto *dump = std::get_if<std::shared_ptr<const FlightDump>>(&opened.content)) {
        file.kind = RunFileKind::FlightDump;
        if ((*dump)->isRankGuessed) // otherwise the layout reads it from the name
            file.guessedRank = (*dump)->rank;
    } else {
        file.kind = RunFileKind::MemoryTimeline;
    }
    return file;
}

RunFile runFileOf(const FileWithoutPage &found)
{
    RunFile file;
    file.name = found.name;
    file.kind = RunFileKind::InspectorLog; // the only kind without a page
    return file;
}

RunFile runFileOf(const SkippedFile &skipped)
{
    RunFile file;
    file.name = skipped.path;
    file.why = skipped.why;
    return file;
}

} // namespace riffle
