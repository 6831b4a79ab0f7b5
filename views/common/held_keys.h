// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <initializer_list>

class QKeyEvent;

namespace riffle {

/// Keys that move a view while they are held. The movement follows the elapsed time, not the keyboard's repeat rate.
class HeldKeys : public QObject {
    Q_OBJECT
public:
    static constexpr double kZoomRate = 3.0; ///< natural logarithm of the zoom factor per second
    static constexpr double kPanRate = 1.2;  ///< visible ranges per second

    HeldKeys(const QSet<int> &keys, QObject *parent);

    /// Handles a key press; false if the key is not one of them. A press moves the view a little immediately.
    bool press(const QKeyEvent &event);
    bool release(const QKeyEvent &event);
    /// Releases all keys, for example when the focus is lost.
    void stop();
    /// 1 while any of these keys is held, otherwise 0.
    int held(std::initializer_list<int> keys) const;

signals:
    /// The elapsed seconds times the speed, which grows while a key is held and is higher with Shift.
    void moved(double seconds);

private:
    void tick();
    void advance(double seconds);

    QSet<int> m_keys;
    QSet<int> m_held;
    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_heldSeconds = 0;
    bool m_fast = false;
};

} // namespace riffle
