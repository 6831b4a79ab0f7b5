// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/slice_menu.h"

#include "model/base/format.h"
#include "views/common/look/qt_text.h"
#include "views/common/session/filter_actions.h"
#include "views/timeline/navigation.h"
#include "views/timeline/timeline_state.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

namespace riffle {

QString sliceAsRow(const TraceSet &traces, SliceRef ref)
{
    const LoadedTrace *member = traces.find(ref.trace);
    const auto slice = member ? member->trace->slice(ref.slice) : std::nullopt;
    if (!slice)
        return {};
    const Ns start = member->time.toSet(slice->data.start) - traces.origin();
    return QStringList{singleLine(toQString(member->trace->string(slice->data.name))),
                       toQString(member->trace->laneName(slice->lane)), toQString(formatDuration(start)),
                       toQString(formatDuration(slice->data.duration))}
        .join(QLatin1Char('\t'));
}

bool fillSliceMenu(QMenu *menu, TimelineState *state, Navigation *navigation, SliceRef ref)
{
    Session *session = state->session();
    const Trace *trace = ref.valid() ? session->traces().trace(ref.trace) : nullptr;
    const auto slice = trace ? trace->slice(ref.slice) : std::nullopt;
    if (!slice)
        return false;
    const std::string name(trace->string(slice->data.name));
    const auto copy = [](const QString &text) { QGuiApplication::clipboard()->setText(text); };
    // The texts after the tabs are shown as keys; the timeline itself handles those keys for what is selected.
    menu->addAction(QObject::tr("Copy name\tCtrl+C"), session, [copy, name] { copy(toQString(name)); });
    menu->addAction(QObject::tr("Copy as a row"), session,
                    [copy, session, ref] { copy(sliceAsRow(session->traces(), ref)); });
    menu->addSeparator();
    menu->addAction(QObject::tr("Fit into the view\tF"), navigation, [navigation, ref] { navigation->zoomTo(ref); });
    menu->addAction(QObject::tr("Mark, or remove the mark\tM"), navigation, [session, navigation, ref] {
        session->setArea(std::nullopt); // otherwise, that would be marked
        session->select(ref);
        navigation->toggleMark();
    });
    menu->addAction(QObject::tr("Highlight all slices with this name"), state,
                    [state, name] { state->highlightName(name); });
    const bool isDeviceWork = slice->data.flags & slice_flag::OnStream && !(slice->data.flags & slice_flag::Annotation);
    if (isDeviceWork || slice->data.detail == SliceDetail::Operator)
        menu->addAction(QObject::tr("Find in the tables"), navigation,
                        [navigation, ref] { emit navigation->tableRequested(ref); });
    menu->addAction(QObject::tr("Go to the same one in the next rank or step\tX"), navigation,
                    [session, navigation, ref] {
                        session->select(ref);
                        navigation->selectElsewhere(1);
                    });
    menu->addAction(QObject::tr("Compare with…"), navigation,
                    [navigation, ref] { emit navigation->comparisonRequested(ref); });
    const LaneRef lane{ref.trace, slice->lane};
    menu->addAction(QObject::tr("Hide the lane"), state, [state, lane] {
        if (const LaneItem *item = state->layout().find(lane))
            state->hide(LaneItem(*item));
    });
    menu->addSeparator();
    addFilterActions(menu, session, ref);
    return true;
}

} // namespace riffle
