// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/session_members.h"

#include "views/common/look/qt_text.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

TimeMap movedBy(const TimeMap &time, Ns by)
{
    std::vector<TimeMap::Knot> knots = time.knots();
    if (knots.empty())
        knots.push_back({});
    for (TimeMap::Knot &knot : knots)
        knot.set = saturatedSum(knot.set, by);
    return TimeMap(std::move(knots));
}

} // namespace

std::vector<SessionFile::File> sessionMembers(const TraceSet &traces,
                                              const std::function<std::optional<SourceIdentity>(TraceId)> &identityOf)
{
    const bool anySet =
        std::ranges::any_of(traces.loaded(), [&](const LoadedTrace &member) { return traces.isTimeSet(member.id); });
    std::vector<SessionFile::File> files;
    for (const TraceMember &member : traces.members()) {
        SessionFile::File file;
        file.path = QFileInfo(toQString(member.path)).absoluteFilePath();
        file.identity = identityOf(member.id);
        if (const LoadedTrace *loaded = traces.find(member.id); loaded && anySet)
            file.time = movedBy(loaded->time, -traces.origin());
        files.push_back(std::move(file));
    }
    return files;
}

OpenRequest requestFor(const SessionFile &file)
{
    OpenRequest request;
    for (size_t at = 0; at < file.files.size(); ++at) {
        request.files += file.files[at].path;
        if (file.files[at].time)
            request.times.emplace(at, *file.files[at].time);
    }
    request.range = file.range;
    request.steps = file.steps;
    if (file.selected && file.selected->lane)
        request.first = file.selected->lane->file;
    else if (!file.areaLanes.empty())
        request.first = file.areaLanes.front().file;
    return request;
}

} // namespace riffle
