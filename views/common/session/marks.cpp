// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/marks.h"

#include "views/common/look/qt_text.h"

#include <QObject>

#include <algorithm>
#include <utility>

namespace riffle {

AreaSelection AreaSelection::of(const TraceSet &set, TimeSpan span, std::vector<LaneRef> lanes)
{
    AreaSelection area{span, std::move(lanes)};
    const auto isElsewhere = [&](const LaneRef &lane) { return lane.trace != area.lanes.front().trace; };
    if (!area.lanes.empty() && std::ranges::none_of(area.lanes, isElsewhere)) {
        area.trace = area.lanes.front().trace;
        area.span = set.time(area.trace).toTrace(span);
    }
    return area;
}

QString rankText(const TraceSet &set, TraceId trace)
{
    if (!set.member(trace) || set.members().size() < 2)
        return {};
    QString title = toQString(set.title(trace));
    if (title.startsWith(QLatin1String("Rank ")))
        title[0] = QLatin1Char('r');
    return QObject::tr("on %1").arg(title);
}

} // namespace riffle
