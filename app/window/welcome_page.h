// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace riffle {

class Settings;

/// What an empty window shows: open, recent files, the bundled sample.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(Settings *settings, QWidget *parent = nullptr);

signals:
    void openRequested();
    void fileRequested(const QString &path);
    void sampleRequested();

private:
    void fillRecent();

    Settings *m_settings;
    QVBoxLayout *m_recent;
};

} // namespace riffle
