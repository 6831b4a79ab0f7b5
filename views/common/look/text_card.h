// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <QWidget>

namespace riffle {

/// A small card beside the pointer that says what lies under it: a heading and lines below. Lets the mouse through.
class TextCard : public QWidget {
    Q_OBJECT
public:
    explicit TextCard(QWidget *parent);

    const QStringList &lines() const { return m_lines; }

protected:
    /// Of one line each; none: the card hides. `at`: the pointer in the parent's coordinates; the card keeps within
    /// `bounds`.
    void showLines(QStringList lines, QPoint at, const QRect &bounds);
    void paintEvent(QPaintEvent *event) override;

private:
    QStringList m_lines; ///< elided; the first is the heading
};

} // namespace riffle
