// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <QWidget>

namespace riffle {

/// A small card beside the pointer that describes what is under it: a heading and lines below. Mouse events pass
/// through it.
class TextCard : public QWidget {
    Q_OBJECT
public:
    explicit TextCard(QWidget *parent);

    const QStringList &lines() const { return m_lines; }

protected:
    /// Shows lines of text, or hides the card if there are none. `at` is the pointer in the parent's coordinates; the
    /// card stays inside `bounds`.
    void showLines(QStringList lines, QPoint at, const QRect &bounds);
    void paintEvent(QPaintEvent *event) override;

private:
    QStringList m_lines; ///< elided; the first is the heading
};

} // namespace riffle
