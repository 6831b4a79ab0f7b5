// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/look/palette.h"

#include <QImage>
#include <QWidget>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace riffle {

class CellCard;

/// A table of whole numbers, to be shown as colours. Its functions are called for what is visible only.
struct HeatMapData {
    int rows = 0, columns = 0;
    std::shared_ptr<const std::vector<int64_t>> values; ///< row by row; kNoInt is unknown
    /// The values with the weakest and the strongest colour; what is beyond them has the same colours. If `low` is
    /// negative, values below 0 have colours of their own, and 0 has none.
    int64_t low = 0, high = 0;
    bool isBeyond = false; ///< there are values above `high`
    std::function<QString(int row)> rowName;
    std::function<QString(int column)> columnName;
    std::function<QString(int64_t value)> valueText;
    /// The lines about a cell: its name, then a figure each.
    std::function<QStringList(int row, int column)> describe;
};

/// The colour of a value between `low` and `high` (HeatMapData), for everything that shows the same scale.
QRgb heatColour(const Palette &palette, int64_t value, int64_t low, int64_t high);

/// A table of numbers as an image: rows and columns with their names, one cell per value, and the scale. Where cells
/// are smaller than a pixel, a pixel has the largest of its values (the one that is farthest from 0, if there are
/// negative ones), which the scale says. Unknown values are hatched. Arrow keys move the current cell; Enter or a click
/// chooses one. The card at the pointer says what a cell contains.
class HeatMap : public QWidget {
    Q_OBJECT
public:
    struct Cell {
        int row = -1, column = -1;
        bool valid() const { return row >= 0 && column >= 0; }
        bool operator==(const Cell &) const = default;
    };

    explicit HeatMap(QWidget *parent = nullptr);

    /// Shows another table. The current cell stays if there is one at its place.
    void setData(HeatMapData data);
    const HeatMapData &data() const { return m_data; }
    Cell current() const { return m_current; }
    void setCurrent(Cell cell);      ///< without the signal; an invalid one for none
    QRect plot() const;              ///< where the cells are
    QRect cellRect(Cell cell) const; ///< at least one pixel
    Cell cellAt(QPoint point) const; ///< invalid outside; the strongest one, if several share the pixel
    /// The sentence about the scale.
    QString scaleText() const;
    QStringList said(Cell cell) const; ///< what the card says about a cell
    CellCard *card() const { return m_card; }
    QSize sizeHint() const override { return {640, 320}; }
    QSize minimumSizeHint() const override { return {220, 120}; }

signals:
    void currentChanged(int row, int column); ///< by the user
    void chosen(int row, int column);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    bool isEmpty() const { return m_data.rows == 0 || m_data.columns == 0; }
    int64_t valueAt(int row, int column) const;
    Cell strongest(std::pair<int, int> rows, std::pair<int, int> columns) const;
    void moveTo(Cell cell);
    void measureNames();
    void makeImage();
    void paintNames(QPainter &painter) const;
    void paintScale(QPainter &painter) const;

    HeatMapData m_data;
    Cell m_current, m_hovered;
    int m_namesWidth = 0; ///< of the rows' names
    QImage m_image;       ///< of the plot, in device pixels; null until it is needed
    CellCard *m_card;
};

} // namespace riffle
