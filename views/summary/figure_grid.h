// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTableWidget>

namespace riffle {

struct Figures;

/// A small table of figures, as high as its rows: names on the left, values on the right, what they mean as tool tips.
class FigureGrid : public QTableWidget {
    Q_OBJECT
public:
    explicit FigureGrid(QWidget *parent = nullptr);
    void setFigures(const Figures &figures);
    int wantedWidth() const { return m_wanted; } ///< logical pixels in which nothing is cut
    QSize sizeHint() const override { return {m_wanted, wantedHeight()}; }
    QSize minimumSizeHint() const override { return {120, wantedHeight()}; }

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    int wantedHeight() const;
    void spread();

    int m_names = 0; ///< width of the names, at least
    int m_wanted = 0;
};

} // namespace riffle
