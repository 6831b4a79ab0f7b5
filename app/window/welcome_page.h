// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace riffle {

class Settings;

/// The page of an empty window: buttons to open files and to take the tour, the list of recent files, the bundled
/// samples, and the keys that are needed most.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(Settings *settings, QWidget *parent = nullptr);

signals:
    void openRequested();
    void tourRequested();
    void setRequested(const QStringList &files);
    void sampleRequested(int sample); ///< index in samples()

private:
    QVBoxLayout *makeOpening();
    QVBoxLayout *makeFirstSteps();
    void fillRecent();

    Settings *m_settings;
    QVBoxLayout *m_recent;
};

} // namespace riffle
