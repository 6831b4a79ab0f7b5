// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/scroll_glide.h"

#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace riffle {

namespace {
constexpr int kGlideMs = 500;
constexpr quint64 kSpeedMs = 80;     ///< the last part of a scroll, whose speed counts
constexpr quint64 kRestMs = 50;      ///< fingers that rested as long before they left do not fling
constexpr double kLeastSpeed = 0.3;  ///< logical pixels per ms, below which nothing glides
constexpr double kGreatestSpeed = 6; ///< one event with a wrong time must not throw the view away
/// The speed of OutExpo at its start, in distances per duration.
constexpr double kFirstSpeed = 10 * std::numbers::ln2;
} // namespace

ScrollGlide::ScrollGlide(QObject *parent) : QObject(parent)
{
    m_glide.setStartValue(0.0);
    m_glide.setEndValue(1.0);
    m_glide.setDuration(kGlideMs);
    m_glide.setEasingCurve(QEasingCurve::OutExpo);
    connect(&m_glide, &QVariantAnimation::valueChanged, this, [this](const QVariant &share) {
        if (m_glide.state() != QAbstractAnimation::Running) // it is set to its start
            return;
        const double before = std::exchange(m_done, share.toDouble());
        emit moved((m_done - before) * m_distance);
    });
}

void ScrollGlide::stop() { m_glide.stop(); }

/// The speed of the fingers when they leave the touchpad, in logical pixels per ms.
QPointF ScrollGlide::speedAt(quint64 time) const
{
    const auto first = std::ranges::find_if(m_pieces, [&](const Piece &one) { return one.time + kSpeedMs >= time; });
    if (first == m_pieces.end() || m_pieces.back().time + kRestMs < time || m_pieces.back().time <= first->time)
        return {};
    QPointF sum;
    for (auto one = first + 1; one != m_pieces.end(); ++one) // the first one moved before its time
        sum += one->distance;
    return sum / static_cast<double>(m_pieces.back().time - first->time);
}

void ScrollGlide::follow(const QWheelEvent &event, bool mayGlide)
{
    m_glide.stop();
    if (event.phase() == Qt::ScrollUpdate && mayGlide) {
        m_pieces.push_back({event.timestamp(), QPointF(event.pixelDelta())});
        return;
    }
    QPointF speed = event.phase() == Qt::ScrollEnd && mayGlide ? speedAt(event.timestamp()) : QPointF();
    m_pieces.clear();
    const double length = std::hypot(speed.x(), speed.y());
    if (length < kLeastSpeed)
        return;
    speed *= std::min(length, kGreatestSpeed) / length;
    m_distance = speed * (kGlideMs / kFirstSpeed);
    m_done = 0;
    m_glide.start();
}

} // namespace riffle
