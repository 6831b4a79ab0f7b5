// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/deferred_widget.h"
#include "views/common/session/session.h"

namespace riffle {

/// A part of the window that shows the session. Changes are collected and passed to refresh() once per turn of the
/// event loop, and only while the view is visible; a hidden view catches up when it is shown. The first refresh reports
/// everything of interest as changed.
class View : public DeferredWidget<Session::Changes> {
    Q_OBJECT
public:
    View(Session *session, Session::Changes interest, QWidget *parent = nullptr);

    Session *session() const { return m_session; }

private:
    Session *m_session;
};

} // namespace riffle
