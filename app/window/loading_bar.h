// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/open_controller.h"

#include <QFrame>

class QLabel;
class QProgressBar;

namespace riffle {

/// A line that shows the progress of opening or saving files, with a button to cancel. Hidden otherwise.
class LoadingBar : public QFrame {
    Q_OBJECT
public:
    explicit LoadingBar(QWidget *parent = nullptr);

    void showStatus(const LoadStatus &status);
    QString text() const;

signals:
    void cancelRequested();

private:
    QLabel *m_text;
    QProgressBar *m_bar;
};

} // namespace riffle
