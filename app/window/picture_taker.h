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

/// Saves a picture of the window once everything in it is drawn, for `--screenshot`. Prints the window's notices to
/// stderr, because nobody sees the window. Create it before MainWindow::launch(), so that none are lost.
class PictureTaker : public QObject {
    Q_OBJECT
public:
    static constexpr int kLimitMs = 120'000;

    PictureTaker(MainWindow *window, const LaunchOptions &options, int limitMs = kLimitMs);
    void start();

signals:
    /// The exit code is 0 if the picture shows everything that was requested, and 1 if something could not be opened,
    /// found, drawn or written.
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
    int m_calm = 0; ///< number of checks in a row that found everything drawn
    bool m_failed = false;
};

} // namespace riffle
