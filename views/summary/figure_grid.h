// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTableWidget>

namespace riffle {

struct Figures;

/// A small table of figures, as high as its rows: names on the left, values on the right, meanings as tool tips. Bars
/// take the room that is left.
class FigureGrid : public QTableWidget {
    Q_OBJECT
public:
    explicit FigureGrid(QWidget *parent = nullptr);
    void setFigures(const Figures &figures);
    int wantedWidth() const { return m_wanted; } ///< logical pixels at which nothing is cut off
    QSize sizeHint() const override { return {m_wanted, wantedHeight()}; }
    QSize minimumSizeHint() const override { return {120, wantedHeight()}; }

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    int wantedHeight() const;
    void spread();

    int m_names = 0; ///< minimum width of the names
    int m_bars = -1; ///< the column of bars; -1 if there is none
    int m_wanted = 0;
};

} // namespace riffle
