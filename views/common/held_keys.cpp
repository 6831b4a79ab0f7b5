// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/held_keys.h"

#include <QKeyEvent>

#include <algorithm>

namespace riffle {

namespace {
constexpr int kTickMs = 8;
constexpr double kFirstStep = 0.045;  ///< seconds of movement that a press causes immediately
constexpr double kLongestStep = 0.1;  ///< seconds; a slow frame must not make the next step a leap
constexpr double kFastFactor = 4.0;   ///< speed factor with Shift
constexpr double kAcceleration = 1.0; ///< growth of the speed factor per second of holding, up to kMostAcceleration
constexpr double kMostAcceleration = 2.0;
} // namespace

HeldKeys::HeldKeys(const QSet<int> &keys, QObject *parent) : QObject(parent), m_keys(keys)
{
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kTickMs);
    connect(&m_timer, &QTimer::timeout, this, &HeldKeys::tick);
}

bool HeldKeys::press(const QKeyEvent &event)
{
    m_fast = event.modifiers() & Qt::ShiftModifier;
    if (!m_keys.contains(event.key()))
        return false;
    if (!event.isAutoRepeat() && !m_held.contains(event.key())) {
        m_held.insert(event.key());
        m_heldSeconds = 0;
        m_clock.start();
        m_timer.start();
        advance(kFirstStep);
    }
    return true;
}

bool HeldKeys::release(const QKeyEvent &event)
{
    if (event.key() == Qt::Key_Shift)
        m_fast = false;
    if (event.isAutoRepeat())
        return m_keys.contains(event.key());
    const bool known = m_held.remove(event.key());
    if (m_held.isEmpty())
        m_timer.stop();
    return known;
}

void HeldKeys::stop()
{
    m_held.clear();
    m_timer.stop();
    m_fast = false;
}

int HeldKeys::held(std::initializer_list<int> keys) const
{
    return std::any_of(keys.begin(), keys.end(), [this](int key) { return m_held.contains(key); }) ? 1 : 0;
}

void HeldKeys::tick()
{
    const double seconds = std::min(kLongestStep, static_cast<double>(m_clock.nsecsElapsed()) * 1e-9);
    m_clock.start();
    advance(seconds);
}

void HeldKeys::advance(double seconds)
{
    m_heldSeconds += seconds;
    emit moved(seconds * std::min(kMostAcceleration, 1 + m_heldSeconds * kAcceleration) * (m_fast ? kFastFactor : 1));
}

} // namespace riffle
