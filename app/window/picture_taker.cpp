// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/picture_taker.h"

#include "app/window/main_window.h"
#include "views/common/memory/memory_session.h"

#include <cstdio>

namespace riffle {

namespace {
constexpr int kLookEveryMs = 30;
constexpr int kCalmLooks = 4;
} // namespace

PictureTaker::PictureTaker(MainWindow *window, const LaunchOptions &options, int limitMs)
    : m_window(window)
    , m_options(options)
    , m_limitMs(limitMs)
{
    m_timer.setInterval(kLookEveryMs);
    connect(&m_timer, &QTimer::timeout, this, &PictureTaker::look);
    if (!options.screenshot.isEmpty())
        connect(window->noticeBar(), &NoticeBar::notified, this, &PictureTaker::hear);
}

void PictureTaker::start()
{
    m_clock.start();
    m_timer.start();
}

void PictureTaker::hear(NoticeBar::Level level, const QString &text)
{
    std::fprintf(stderr, "riffle: %s\n", qUtf8Printable(text));
    m_failed = m_failed || level == NoticeBar::Level::Problem;
}

void PictureTaker::complain(const QString &text) { hear(NoticeBar::Level::Problem, text); }

void PictureTaker::look()
{
    m_calm = m_window->settled() ? m_calm + 1 : 0;
    if (m_calm < kCalmLooks && m_clock.elapsed() < m_limitMs)
        return;
    m_timer.stop();
    if (m_calm < kCalmLooks)
        complain(tr("The picture is incomplete: drawing it took more than %1 s.").arg(m_limitMs / 1000));
    else if (!m_options.open.files.isEmpty() && m_window->session()->traces().empty() &&
             m_window->session()->memory()->empty() && m_window->controller()->sideFiles().empty())
        m_failed = true;
    if (m_window->mayWrite(m_options.screenshot) && !m_window->picture().save(m_options.screenshot, "PNG"))
        complain(tr("%1 could not be written.").arg(m_options.screenshot));
    emit finished(m_failed ? 1 : 0);
}

} // namespace riffle
