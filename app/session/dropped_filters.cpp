// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/dropped_filters.h"

#include "views/common/session/session.h"

#include <algorithm>
#include <utility>

namespace riffle {

DroppedFilters::DroppedFilters(Session *session, QObject *parent) : QObject(parent), m_session(session)
{
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & (Session::Traces | Session::Members)) {
            m_dropped.clear();
            m_now = m_session->filters();
            emit this->changed();
        } else if (changes & Session::Filter) {
            compare();
        }
    });
}

/// Remembers what the filters had and have no more.
void DroppedFilters::compare()
{
    Drop drop{std::exchange(m_now, m_session->filters()), {}};
    for (const Filters::Part part : Filters::kParts)
        if (drop.before.has(part) && !m_now.has(part))
            drop.parts.push_back(part);
    if (drop.parts.empty())
        return;
    m_dropped.push_back(std::move(drop));
    if (m_dropped.size() > kDrops)
        m_dropped.erase(m_dropped.begin());
    emit changed();
}

void DroppedFilters::bringBack()
{
    if (m_dropped.empty())
        return;
    const Drop drop = std::move(m_dropped.back());
    m_dropped.pop_back();
    m_session->setFilters(m_session->filters().with(drop.before, drop.parts));
    emit changed();
}

} // namespace riffle
