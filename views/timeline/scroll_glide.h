// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QPointF>
#include <QVariantAnimation>

#include <vector>

class QWheelEvent;

namespace riffle {

/// The glide after fingers have scrolled fast and left the touchpad, for platforms that send no momentum of their own.
/// Its speed is that of the fingers at first, and it ends within half a second.
class ScrollGlide : public QObject {
    Q_OBJECT
public:
    explicit ScrollGlide(QObject *parent);

    /// Takes part in a scroll; call it for each event of the wheel. Each one ends the glide. The end of a fast scroll
    /// starts it if `mayGlide` is true. The momentum of the platform never does.
    void follow(const QWheelEvent &event, bool mayGlide);
    void stop();

signals:
    /// Asks to scroll this far, in logical pixels with the sign of QWheelEvent::pixelDelta().
    void moved(QPointF distance);

private:
    struct Piece {
        quint64 time; ///< ms
        QPointF distance;
    };
    QPointF speedAt(quint64 time) const;

    std::vector<Piece> m_pieces; ///< the scroll so far
    QVariantAnimation m_glide;   ///< from 0 to 1, the share of m_distance
    QPointF m_distance;
    double m_done = 0; ///< the share that was told
};

} // namespace riffle
