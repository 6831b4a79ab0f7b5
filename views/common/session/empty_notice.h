// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/empty/empty_state.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace riffle {

/// Says why a view is empty, with one button that helps. The same widget serves all views, so that all say it alike.
class EmptyNotice : public QWidget {
    Q_OBJECT
public:
    explicit EmptyNotice(QWidget *parent = nullptr);

    /// Makes the notice cover all of its parent while it says something, for views that have no other place for it.
    void coverParent();
    /// A state without a reason says nothing.
    void say(const EmptyState &state);
    const EmptyState &state() const { return m_state; }
    QString text() const;
    QPushButton *button() const { return m_button; } ///< hidden if no click helps

signals:
    /// The user wants the action of the state, unless it is one that the notice does itself (CopySetting).
    void helpWanted(const riffle::EmptyState &state);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void act();

    EmptyState m_state;
    QLabel *m_text;
    QPushButton *m_button;
    bool m_covers = false;
};

} // namespace riffle
