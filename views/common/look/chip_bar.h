// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/session.h"

#include <QAbstractButton>
#include <QFrame>

class QHBoxLayout;
class QToolButton;

namespace riffle {

/// One filter that is set; a click removes it.
class Chip : public QAbstractButton {
    Q_OBJECT
public:
    Chip(const QString &text, const QString &tip, QWidget *parent);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
};

/// The area and the filters as texts, the newest last: what the chips say, and the text filter.
QStringList limitTexts(const Session &session);

/// Shows how the timeline and the tables are narrowed down: one chip per filter, and the switch that makes the tables
/// follow the view.
class ChipBar : public QFrame {
    Q_OBJECT
public:
    explicit ChipBar(Session *session, QWidget *parent = nullptr);

    QStringList chips() const; ///< the texts of the chips, for tests

private:
    /// `hasGrown`: nothing else has changed.
    void refresh(bool hasGrown);

    Session *m_session;
    QHBoxLayout *m_row;
    QToolButton *m_clear;
    QToolButton *m_withoutFirst; ///< shown if the first step is far longer than the others
    QToolButton *m_follow;
    QList<Chip *> m_chips;
    QStringList m_texts; ///< that they show
};

} // namespace riffle
