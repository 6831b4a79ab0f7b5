// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/tour_cards.h"

#include <QFrame>
#include <QPointer>

#include <functional>

class QLabel;
class QPushButton;

namespace riffle {

/// A tour of the window: one card at a time, beside the part that it explains, with a frame around that part. The
/// window stays usable meanwhile. The tour is a child of the window; it ends with its last card, with Esc or with
/// "Leave", and is then hidden.
class Tour : public QFrame {
    Q_OBJECT
public:
    /// Returns the widget at a place, after bringing it into view; null if the window does not show it now.
    using Show = std::function<QWidget *(TourPlace place)>;

    Tour(Show show, QWidget *window);

    void start(TourKind kind);
    void leave();
    bool isRunning() const { return !isHidden(); }
    int card() const { return m_card; } ///< counts from 0

protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void go(int card);
    bool handles(int key);
    void place();

    Show m_show;
    std::span<const TourCard> m_cards;
    int m_card = 0;
    QWidget *m_frame; ///< around the part that the card explains
    QPointer<QWidget> m_part;
    QPointer<QWidget> m_before; ///< had the focus before the tour
    QLabel *m_title, *m_text, *m_count;
    QPushButton *m_back, *m_next, *m_leave;
};

} // namespace riffle
