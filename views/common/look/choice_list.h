// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QListView>
#include <QStringList>

class QKeyEvent;

namespace riffle {

/// A row that can be chosen: a title, and further columns at the right.
struct Choice {
    QString title;
    QStringList details;
    bool isPossible = true;
    bool operator==(const Choice &) const = default;
};

/// A list below a text box, which keeps the keyboard focus and passes on the keys that move in the list. One row is the
/// current one, if there are any.
class ChoiceList : public QListView {
    Q_OBJECT
public:
    explicit ChoiceList(QWidget *parent = nullptr);

    /// Shows these rows; the first one becomes the current one.
    void setChoices(QList<Choice> choices);
    const QList<Choice> &choices() const { return m_choices; }
    int current() const { return currentIndex().row(); } ///< -1 if there is none
    void setCurrent(int row);
    /// Moves to another row if the key is Up, Down, PgUp or PgDn; otherwise returns false.
    bool move(const QKeyEvent &key);
    /// The height for all rows, but at most for `most` of them.
    int heightFor(int most) const;

signals:
    void chosen(int row); ///< by a click; the row is possible

private:
    QList<Choice> m_choices;
};

} // namespace riffle
