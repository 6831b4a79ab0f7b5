// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/filter_actions.h"

#include "model/analysis/facts/step_marks.h"
#include "views/common/look/qt_text.h"

#include <QMenu>

#include <algorithm>

namespace riffle {

namespace {

constexpr qsizetype kLongestName = 60; ///< characters of a name in a menu

QString shortened(std::string_view name)
{
    QString text = singleLine(toQString(name));
    if (text.size() > kLongestName)
        text = text.left(kLongestName / 2) + QChar(0x2026) + text.right(kLongestName / 2 - 1);
    return text.replace(QLatin1Char('&'), QLatin1String("&&"));
}

template <typename Change>
void add(QMenu *menu, Session *session, const QString &text, Change change)
{
    QObject::connect(menu->addAction(text), &QAction::triggered, session, [session, change] {
        Filters filters = session->filters();
        change(filters);
        session->setFilters(std::move(filters));
    });
}

/// The number of the step that a slice belongs to, decided by its launch if it has one; kNoInt if there is none.
int64_t stepOf(const Session &session, SliceRef ref)
{
    const Trace *trace = ref.valid() ? session.traces().trace(ref.trace) : nullptr;
    if (!trace)
        return kNoInt;
    const SliceId launch = trace->launchOf(ref.slice);
    const auto slice = trace->slice(launch.valid() ? launch : ref.slice);
    for (const Step &step : session.stepsOf(ref.trace))
        if (slice && step.span.contains(slice->data.start))
            return step.number;
    return kNoInt;
}

} // namespace

void addFilterActions(QMenu *menu, Session *session, SliceRef ref)
{
    const Trace *trace = ref.valid() ? session->traces().trace(ref.trace) : nullptr;
    const auto slice = trace ? trace->slice(ref.slice) : std::nullopt;
    if (!slice)
        return;
    const std::string name(trace->string(slice->data.name));
    add(menu, session, QObject::tr("Filter to the name %1").arg(shortened(name)),
        [name](Filters &filters) { filters.name = name; });
    add(menu, session, QObject::tr("Filter out the name %1").arg(shortened(name)), [name](Filters &filters) {
        if (filters.name == name)
            filters.name.clear();
        if (std::ranges::find(filters.withoutNames, name) == filters.withoutNames.end())
            filters.withoutNames.push_back(name);
    });
    if (const int64_t step = stepOf(*session, ref); step != kNoInt)
        add(menu, session, QObject::tr("Filter to step %1").arg(step),
            [step](Filters &filters) { filters.steps = {step}; });
    const bool isOnStream = slice->data.flags & slice_flag::OnStream;
    const std::string bare(withoutStepNumber(name)), mark = isOnStream ? bare + std::string(kDeviceMark) : bare;
    if (mark != session->filters().stepMark && (!isOnStream || (slice->data.flags & slice_flag::Annotation)))
        add(menu, session,
            (isOnStream ? QObject::tr("Use annotations named %1 on the device as steps")
                        : QObject::tr("Use slices named %1 as steps"))
                .arg(shortened(bare)),
            [mark](Filters &filters) { filters.stepMark = mark; });
    addFilterActions(menu, session, LaneRef{ref.trace, slice->lane});
}

void addFilterActions(QMenu *menu, Session *session, LaneRef lane)
{
    const Trace *trace = session->traces().trace(lane.trace);
    if (!trace || lane.lane.value >= trace->lanes.size())
        return;
    add(menu, session, QObject::tr("Filter to %1").arg(shortened(trace->laneName(lane.lane))),
        [lane](Filters &filters) { filters.lanes = {lane}; });
    if (session->traces().size() > 1)
        add(menu, session, QObject::tr("Filter to %1").arg(shortened(session->traces().title(lane.trace))),
            [rank = lane.trace](Filters &filters) { filters.traces = {rank}; });
}

} // namespace riffle
