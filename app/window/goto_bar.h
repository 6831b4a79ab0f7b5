// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/session.h"

#include <QFrame>

class QLabel;
class QLineEdit;

namespace riffle {

/// An input line for a time, a range or a step. Shown above the timeline until the user presses Enter or Esc.
class GotoBar : public QFrame {
    Q_OBJECT
public:
    explicit GotoBar(Session *session, QWidget *parent = nullptr);

    void activate();

signals:
    void closed();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void go();
    void dismiss();

    Session *m_session;
    QLineEdit *m_text;
    QLabel *m_trouble;
};

} // namespace riffle
