// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace riffle {

class Settings;

/// The page of an empty window, with buttons to open files and the bundled sample, and the list of recent files.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(Settings *settings, QWidget *parent = nullptr);

signals:
    void openRequested();
    void setRequested(const QStringList &files);
    void sampleRequested();

private:
    void fillRecent();

    Settings *m_settings;
    QVBoxLayout *m_recent;
};

} // namespace riffle
