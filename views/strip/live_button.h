// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/session.h"

#include <QTimer>
#include <QToolButton>

namespace riffle {

/// Says that traces are still being written, up to when they are complete, and how long ago that was. It is pressed
/// while the timeline follows the end; a click switches that. It is hidden while no trace grows.
class LiveButton : public QToolButton {
    Q_OBJECT
public:
    explicit LiveButton(Session *session, QWidget *parent = nullptr);

private:
    void say();

    Session *m_session;
    QTimer m_clock; ///< time passes also while nothing is written
};

} // namespace riffle
