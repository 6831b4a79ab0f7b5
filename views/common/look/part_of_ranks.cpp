// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/look/part_of_ranks.h"

#include "views/common/session/session.h"

#include <algorithm>

namespace riffle {

PartOfRanks::PartOfRanks(Session *session, QWidget *parent) : QToolButton(parent), m_session(session)
{
    setAutoRaise(true);
    setFocusPolicy(Qt::TabFocus);
    setToolTip(tr("The other ranks are not in memory, so the answers here are not about them. Click to load them."));
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & (Session::Traces | Session::Members | Session::Filter))
            count();
    });
    connect(this, &QToolButton::clicked, this, &PartOfRanks::loadOthers);
    count();
}

void PartOfRanks::count()
{
    const TraceSet &traces = m_session->traces();
    const auto &named = m_session->filters().traces;
    const size_t wanted = named.empty() ? traces.members().size() : named.size();
    const size_t known = traces.loadedOf(named).size();
    setText(tr("%1 of %2 ranks").arg(known).arg(wanted));
    setVisible(known > 0 && known < wanted);
}

void PartOfRanks::loadOthers()
{
    const auto &named = m_session->filters().traces;
    std::vector<TraceId> others;
    for (const TraceMember &member : m_session->traces().members())
        if (member.state == MemberState::Unloaded &&
            (named.empty() || std::ranges::find(named, member.id) != named.end()))
            others.push_back(member.id);
    for (const TraceId id : others)
        emit m_session->memberRequested(id);
}

} // namespace riffle
