// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session.h"

#include <QWidget>

namespace riffle {

/// A part of the window that shows something of the session. Changes are collected and handed to refresh() once per turn of
/// the event loop, and only while the view is visible; what happened meanwhile is caught up when it is shown.
class View : public QWidget {
    Q_OBJECT
public:
    View(Session *session, Session::Changes interest, QWidget *parent = nullptr);

    Session *session() const { return m_session; }
    /// Brings the view up to date now if it is visible, for tests and pictures.
    void refreshNow();
    /// Brings it up to date whether visible or not.
    void refreshHidden();

protected:
    /// Fills the widgets. `changes`: everything of interest since the last call; all bits the first time.
    virtual void refresh(Session::Changes changes) = 0;
    /// To ask for a refresh for reasons of one's own.
    void markDirty(Session::Changes changes);
    void showEvent(QShowEvent *event) override;

private:
    Session *m_session;
    Session::Changes m_interest;
    Session::Changes m_dirty;
    bool m_scheduled = false;
};

} // namespace riffle
