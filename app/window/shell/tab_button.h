// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractButton>

namespace riffle {

/// A tab: its title, and an accent line above it while it is the current one.
class TabButton : public QAbstractButton {
    Q_OBJECT
public:
    TabButton(const QString &title, QWidget *parent);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void nextCheckState() override {} ///< only its row chooses the current tab
};

} // namespace riffle
