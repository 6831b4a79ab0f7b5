// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/look/palette.h"

#include <QAbstractScrollArea>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <vector>

namespace riffle {

class CellCard;

/// The state of a rank's trace, for the mark of its cell.
enum class RankState : uint8_t {
    InMemory,
    OnDisk, ///< its file is known, but its trace is not loaded
    Reading,
    Failed,  ///< its file could not be read
    NoTrace, ///< other files of the rank were found
    NoFile   ///< nothing was found of the rank
};
/// The mark in the corner of a cell, and the words that explain it.
QString markOf(RankState state);
QString wordsOf(RankState state);

/// The ranks of a run as cells in groups, in rows that wrap, or by two axes.
struct RankGridData {
    struct Cell {
        QString name;      ///< "3"
        QString found;     ///< "trace +s"
        QStringList about; ///< the lines of the card
        RankState state = RankState::NoFile;
        size_t copies = 1;         ///< more than 1 if there are several files of one kind that are no spans
        int64_t value;             ///< kNoInt is unknown
        int column = -1, row = -1; ///< within the group, if cells have places
    };
    struct Group {
        QString title, note;
        std::vector<int> cells;
        int columns = 0, rows = 0; ///< 0 if the cells wrap
        bool operator==(const Group &) const = default;
    };
    std::vector<Cell> cells;
    std::vector<Group> groups;
    int64_t low = 0, high = 0; ///< as in HeatMapData
    std::function<QString(int64_t)> valueText;
};

/// Shows a RankGridData. Cells are as large as the room allows: with name, value and what was found; with the name; or
/// with a colour only. Marks and the card at the pointer tell what colours cannot. Arrow keys move the current cell;
/// Enter or a double click chooses one.
class RankGrid : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit RankGrid(QWidget *parent = nullptr);

    /// The current cell stays.
    void setData(RankGridData data);
    const RankGridData &data() const { return m_data; }
    int current() const { return m_current; } ///< -1 for none
    void setCurrent(int cell);                ///< without the signal
    QRect cellRect(int cell) const;           ///< in the viewport
    int cellAt(QPoint point) const;           ///< -1 if there is none
    CellCard *card() const { return m_card; }
    QSize sizeHint() const override { return {320, 240}; }

signals:
    void currentChanged(int cell); ///< by the user
    void chosen(int cell);

protected:
    void paintEvent(QPaintEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent *event) override;

private:
    enum class Size : uint8_t { Full, Named, Plain };
    int arranged(Size size, bool keep);
    void arrange();
    void moveTo(int cell);
    int neighbour(int down) const;
    void paintCell(QPainter &painter, const QRect &box, const RankGridData::Cell &cell) const;

    RankGridData m_data;
    Size m_size = Size::Full;
    std::vector<QRect> m_boxes;    ///< of the cells, not scrolled
    std::vector<QRect> m_headings; ///< of the groups, not scrolled
    int m_current = -1, m_hovered = -1;
    CellCard *m_card;
};

} // namespace riffle
