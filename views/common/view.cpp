// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/view.h"

#include <QShowEvent>

namespace riffle {

View::View(Session *session, Session::Changes interest, QWidget *parent)
    : QWidget(parent), m_session(session), m_interest(interest), m_dirty(interest)
{
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & m_interest)
            markDirty(changes & m_interest);
    });
}

void View::markDirty(Session::Changes changes)
{
    m_dirty |= changes;
    if (m_scheduled || !isVisible())
        return;
    m_scheduled = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_scheduled = false;
            refreshNow();
        },
        Qt::QueuedConnection);
}

void View::refreshNow()
{
    if (isVisible())
        refreshHidden();
}

void View::refreshHidden()
{
    if (!m_dirty)
        return;
    const Session::Changes changes = m_dirty;
    m_dirty = {};
    refresh(changes);
}

void View::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    refreshHidden();
}

} // namespace riffle
