// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/launch_options.h"
#include "views/common/look/notice_bar.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace riffle {

class MainWindow;

/// Saves a picture of the window once everything in it is drawn, for `--screenshot`. Nobody sees the window's notices
/// then, so they go to stderr. Made before the window is launched, so that it misses none.
class PictureTaker : public QObject {
    Q_OBJECT
public:
    static constexpr int kLimitMs = 120'000;

    PictureTaker(MainWindow *window, const LaunchOptions &options, int limitMs = kLimitMs);
    void start();

signals:
    /// 0 when the picture shows all that was asked for, else 1: something could not be opened, found, drawn or written.
    void finished(int exitCode);

private:
    void hear(NoticeBar::Level level, const QString &text);
    void look();
    void complain(const QString &text);

    MainWindow *m_window;
    LaunchOptions m_options;
    int m_limitMs;
    QTimer m_timer;
    QElapsedTimer m_clock;
    int m_calm = 0; ///< looks in a row that found everything drawn
    bool m_failed = false;
};

} // namespace riffle
