// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/history.h"

#include "model/analysis/search/moved_references.h"
#include "views/common/memory/memory_session.h"

#include <cassert>
#include <utility>

namespace riffle {

History::History(Session *session, QObject *parent) : QObject(parent), m_session(session)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(kMomentMs);
    connect(&m_timer, &QTimer::timeout, this, &History::settle);
    m_known = session->traces();
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & Session::Members)
            pointAgain();
        if (changes & Session::AnyTraces)
            m_known = m_session->traces();
        if (changes & (Session::Selection | Session::Narrowing))
            noteMove();
    });
    connect(session->pane(), &Pane::changed, this, [this](Pane::Changes changes) {
        if (changes & Pane::VisibleRange && !(changes & Pane::Along))
            noteMove();
        else if (changes & Pane::Along && !m_places.empty() && !m_timer.isActive())
            m_places[m_at].visible = m_session->pane()->visibleRange(); // it is the same place
    });
}

void History::setWindow(std::function<QJsonObject()> look, std::function<void(const QJsonObject &)> showLook)
{
    m_look = std::move(look);
    m_showLook = std::move(showLook);
}

void History::noteMove()
{
    if (m_showing)
        return;
    const bool wasIdle = !m_timer.isActive();
    m_timer.start();
    if (wasIdle)
        emit changed();
}

History::Place History::present() const
{
    return {m_session->pane()->visibleRange(), m_session->selected(), m_session->area(), m_session->filters(),
            m_look ? m_look() : QJsonObject()};
}

/// Finds again what the places point at after members came, went or were read again.
void History::pointAgain()
{
    const MovedReferences references(m_known, m_session->traces());
    for (Place &place : m_places) {
        place.selected = references.now(place.selected);
        references.update(place.filters.lanes);
        std::erase_if(place.filters.traces, [this](TraceId id) { return !m_session->traces().member(id); });
        if (place.area && !place.area->lanes.empty()) {
            references.update(place.area->lanes);
            if (place.area->lanes.empty())
                place.area.reset();
        }
    }
}

void History::clear()
{
    m_timer.stop();
    m_places.clear();
    m_at = 0;
    emit changed();
}

void History::settle()
{
    m_timer.stop();
    if (m_session->traces().empty() && m_session->memory()->empty())
        return;
    const Place place = present();
    assert(m_places.empty() || m_at < m_places.size());
    if (!m_places.empty() && m_places[m_at] == place) {
        emit changed(); // nothing is waiting any more
        return;
    }
    if (!m_places.empty())
        m_places.resize(m_at + 1); // a new place discards the forward history
    m_places.push_back(place);
    if (m_places.size() > kPlaces)
        m_places.erase(m_places.begin());
    m_at = m_places.size() - 1;
    emit changed();
}

bool History::canGoBack() const { return m_at > 0 || (!m_places.empty() && m_timer.isActive()); }

void History::back()
{
    settle(); // so that forward() can return to this place
    if (m_at == 0 || m_places.empty())
        return;
    show(m_places[--m_at]);
}

void History::forward()
{
    if (m_timer.isActive())
        settle();
    if (canGoForward())
        show(m_places[++m_at]);
}

void History::show(const Place &place)
{
    m_showing = true;
    m_session->pane()->setVisibleRange(place.visible);
    m_session->select(place.selected);
    m_session->setFilters(place.filters);
    m_session->setArea(place.area);
    if (m_showLook) // last, because an area brings its table forward
        m_showLook(place.window);
    m_showing = false;
    emit changed();
}

} // namespace riffle
