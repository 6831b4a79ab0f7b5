// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/pane_link.h"

#include "views/common/session/session.h"

#include <QScopedValueRollback>

#include <algorithm>

namespace riffle {

PaneLink::PaneLink(Pane *a, Pane *b, QObject *parent) : QObject(parent), m_panes{a, b}
{
    for (const size_t side : {size_t{0}, size_t{1}})
        connect(m_panes[side], &Pane::changed, this, [this, side](Pane::Changes changes) { onChanged(side, changes); });
    connect(a->session(), &Session::changed, this, [this](Session::Changes changes) {
        if (changes & Session::Placement)
            makeRoom();
    });
    makeRoom();
}

void PaneLink::setOn(bool on)
{
    if (on == m_isOn)
        return;
    m_isOn = on;
    makeRoom();
    if (on)
        follow(Pane::VisibleRange | Pane::Hover);
    else
        m_panes[1 - m_leader]->setHover({}, std::nullopt);
}

void PaneLink::onChanged(size_t from, Pane::Changes changes)
{
    if (m_isFollowing)
        return;
    if (changes & (Pane::Shown | Pane::Origin))
        makeRoom();
    if (changes & (Pane::VisibleRange | Pane::Hover)) {
        m_leader = from;
        if (m_isOn)
            follow(changes);
    }
}

/// Moves the other pane like the leader.
void PaneLink::follow(Pane::Changes changes)
{
    const QScopedValueRollback following(m_isFollowing, true);
    const Pane &leader = *m_panes[m_leader];
    Pane &other = *m_panes[1 - m_leader];
    const Ns by = saturatedSum(other.origin(), -leader.origin());
    if (changes & Pane::VisibleRange)
        other.setVisibleRange(movedBy(leader.visibleRange(), by));
    if (changes & Pane::Hover)
        other.setHover({}, leader.cursor() ? std::optional(saturatedSum(*leader.cursor(), by)) : std::nullopt);
}

/// Lets each pane show, after its origin, what the other one can show after its own.
void PaneLink::makeRoom()
{
    const QScopedValueRollback following(m_isFollowing, true);
    for (const size_t side : {size_t{0}, size_t{1}}) {
        Pane &pane = *m_panes[side];
        const Pane &other = *m_panes[1 - side];
        const bool hasOther = m_isOn && !other.traces().members().empty();
        pane.setRoom(hasOther ? movedBy(other.ownRoom(), saturatedSum(pane.origin(), -other.origin())) : TimeSpan());
    }
}

} // namespace riffle
