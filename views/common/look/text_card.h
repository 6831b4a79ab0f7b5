// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QList>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <optional>

namespace riffle {

/// The text of a card: a heading, with a square in the colour of what it describes, and lines below. The labels of the
/// lines form a column; a line without one takes the whole width.
struct CardText {
    struct Line {
        QString label, text;
        QString difference; ///< to the same line of another card
        bool operator==(const Line &) const = default;
    };
    QString heading;
    std::optional<QRgb> square;
    QList<Line> lines;

    bool operator==(const CardText &) const = default;
};

/// A small card beside the pointer that describes what is under it. Mouse events pass through it.
class TextCard : public QWidget {
    Q_OBJECT
public:
    explicit TextCard(QWidget *parent);

    /// The heading and the lines as they are shown, each as one text; for tests and for screen readers.
    QStringList lines() const;
    /// Hides the card.
    void dismiss();

protected:
    /// Shows a text, or hides the card if it has no heading. `at` is the pointer in the parent's coordinates; the card
    /// stays inside `bounds` and, if there is room, beside `avoid`.
    void showText(CardText text, QPoint at, const QRect &bounds, const QRect &avoid = {});
    /// Shows lines without labels, of which the first is the heading.
    void showLines(const QStringList &lines, QPoint at, const QRect &bounds);
    const CardText &text() const { return m_text; }
    void paintEvent(QPaintEvent *event) override;

private:
    QSize fit(CardText &text, int room);

    CardText m_text; ///< elided
    int m_labelWidth = 0;
};

} // namespace riffle
