// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The start of a comparison, and its commands.
#include "app/window/compare_page.h"
#include "app/window/main_window.h"
#include "views/common/look/notice_bar.h"
#include "views/compare/comparison_state.h"
#include "views/timeline/navigation.h"
#include "views/timeline/timeline_view.h"

#include <QAction>
#include <QMenu>

#include <algorithm>

namespace riffle {

namespace {

const auto kPage = QStringLiteral("compare");

/// The loaded member behind another one, counted around the end; the same one if there is no other.
TraceId memberBehind(const TraceSet &set, TraceId id)
{
    const std::span<const LoadedTrace> loaded = set.loaded();
    const auto at = std::ranges::find(loaded, id, &LoadedTrace::id);
    if (at == loaded.end())
        return loaded.empty() ? TraceId() : loaded.front().id;
    return at + 1 == loaded.end() ? loaded.front().id : (at + 1)->id;
}

const Step *stepAround(std::span<const Step> steps, Ns time)
{
    const auto found = std::ranges::find_if(steps, [&](const Step &step) { return step.span.contains(time); });
    return found == steps.end() ? nullptr : &*found;
}

/// The longest other step after the first one, which often warms up.
const Step *stepBeside(std::span<const Step> steps, int64_t number)
{
    const Step *found = nullptr;
    for (size_t at = 0; at < steps.size(); ++at)
        if (steps[at].number != number && (at > 0 || steps.size() == 2) &&
            (!found || steps[at].span.duration() > found->span.duration()))
            found = &steps[at];
    return found;
}

} // namespace

/// The timeline that commands are about.
TimelineView *MainWindow::shownTimeline() const
{
    TimelineView *active = m_workspace->page() == kPage ? m_compare->activeTimeline() : nullptr;
    return active ? active : m_timeline;
}

/// Goes to the next step; in a comparison, compares it.
void MainWindow::goToStep(int direction)
{
    if (m_workspace->page() == kPage) {
        m_compare->goToStep(direction);
        return;
    }
    goToPage(QStringLiteral("timeline"));
    m_timeline->navigation().goToStep(direction);
}

void MainWindow::showComparison()
{
    if (applies(kPage))
        goToPage(kPage);
    else
        m_notice->notify(NoticeBar::Level::Info, tr("Only traces from machine learning are compared."));
}

void MainWindow::compareMembers(TraceId a, TraceId b)
{
    m_comparison->compareMembers(a, b);
    showComparison();
}

void MainWindow::compareSlice(SliceRef slice)
{
    const TraceSet &set = m_session->traces();
    const Trace *trace = slice.valid() ? set.trace(slice.trace) : nullptr;
    const auto found = trace ? trace->slice(slice.slice) : std::nullopt;
    if (!found) {
        showComparison();
        return;
    }
    const TraceId other = memberBehind(set, slice.trace);
    const std::string mark = m_session->filters().stepMark;
    std::array<SideChoice, 2> sides{medianStepOf(slice.trace, mark), medianStepOf(other, mark)};
    const auto chooseStep = [&](size_t side, const Step *step) {
        if (step)
            sides[side].request.steps = TimeSpan{step->number, step->number};
    };
    const std::span<const Step> steps = m_session->stepsOf(slice.trace), others = m_session->stepsOf(other);
    if (const Step *step = stepAround(steps, found->data.start)) {
        chooseStep(0, step);
        if (other == slice.trace) {
            chooseStep(1, stepBeside(steps, step->number));
        } else { // of another run, the steps may have other numbers
            const auto same = std::ranges::find(others, step->number, &Step::number);
            chooseStep(1, same == others.end() ? nullptr : &*same);
        }
    } else if (other == slice.trace) {
        m_comparison->compareMembers(other, other);
        showComparison();
        return;
    }
    m_comparison->choose(sides);
    showComparison();
}

/// Compares the selected range of a trace with the same range of the next one.
void MainWindow::compareArea()
{
    const TraceSet &set = m_session->traces();
    const auto area = m_session->area();
    if (!area || set.empty()) {
        m_notice->notify(NoticeBar::Level::Info, tr("Select a range first; it becomes side A of the comparison."));
        return;
    }
    const TraceId first = area->trace.valid()    ? area->trace
                          : !area->lanes.empty() ? area->lanes.front().trace
                                                 : set.loaded().front().id;
    std::array<SideChoice, 2> sides{SideChoice{first, {}}, SideChoice{memberBehind(set, first), {}}};
    for (SideChoice &side : sides) {
        const LoadedTrace *member = set.find(side.trace);
        if (!member)
            return;
        const Ns begin = member->trace->recordedSpan().begin;
        const TimeSpan own = member->time.toTrace(area->in(set));
        side.request.range = TimeSpan{saturatedSum(own.begin, -begin), saturatedSum(own.end, -begin)};
    }
    m_comparison->choose(sides);
    showComparison();
}

void MainWindow::addComparing(QMenu *menu)
{
    const auto add = [this, menu](const QString &text, auto slot) {
        QAction *action = menu->addAction(text);
        connect(action, &QAction::triggered, this, slot);
        return action;
    };
    add(tr("Compare the &selection's step or trace"), [this] { compareSlice(m_session->selected()); });
    add(tr("Compare the selected &range"), [this] { compareArea(); });
    add(tr("S&wap A and B"), [this] { m_comparison->swapSides(); });
    // The check marks follow the state only while the menu is shown, so the palette's toggles must not rely on them.
    QAction *beside =
        add(tr("A and B s&ide by side"), [this] { m_compare->setSideBySide(!m_compare->isSideBySide()); });
    QAction *linked = add(tr("&Link the times of A and B"), [this] { m_compare->setLinked(!m_compare->isLinked()); });
    for (QAction *action : {beside, linked})
        action->setCheckable(true);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, beside, linked] {
        beside->setChecked(m_compare->isSideBySide());
        linked->setChecked(m_compare->isLinked());
        for (QAction *action : menu->actions())
            action->setEnabled(applies(kPage));
    });
}

} // namespace riffle
