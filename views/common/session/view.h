// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/deferred_widget.h"
#include "views/common/session/session.h"

namespace riffle {

/// A part of the window that shows something of the session. Changes are collected and handed to refresh() once per
/// turn of the event loop, and only while the view is visible; what happened meanwhile is caught up when it is shown.
/// The first time all that is of interest has changed.
class View : public DeferredWidget<Session::Changes> {
    Q_OBJECT
public:
    View(Session *session, Session::Changes interest, QWidget *parent = nullptr);

    Session *session() const { return m_session; }

private:
    Session *m_session;
};

} // namespace riffle
