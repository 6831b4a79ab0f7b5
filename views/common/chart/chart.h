// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "views/common/look/palette.h"

#include <QBrush>
#include <QPolygonF>
#include <QWidget>

#include <optional>

class QPainter;

namespace riffle {

/// The style of one series of a chart: a colour, and if the user wants it a pattern, so that series can be
/// distinguished without colour vision.
struct SeriesStyle {
    QRgb colour = 0;
    Qt::BrushStyle pattern = Qt::SolidPattern; ///< drawn over the colour; SolidPattern adds nothing
    Qt::PenStyle dashes = Qt::SolidLine;

    /// The style of a series. Neighbouring series differ in lightness, and in pattern if patterns are on.
    static SeriesStyle of(const Palette &palette, int series);
    /// Turns patterns on or off for all charts, which the caller repaints; off at first, because they flicker in narrow
    /// bars.
    static void setPatterns(bool on);
    static bool patterns();
    void fill(QPainter &painter, const QRectF &box, const Palette &palette) const;
    /// Fills a shape. The pattern is drawn even if the shape is narrow.
    void fill(QPainter &painter, const QPolygonF &shape, const Palette &palette) const;
};

/// The common base of all charts: a title, a line about the item under the pointer or the keyboard, a legend, axes, and
/// items. Arrow keys walk through the items; Enter or a click chooses one. Items are numbered from 0.
class Chart : public QWidget {
    Q_OBJECT
public:
    explicit Chart(QWidget *parent = nullptr);

    void setTitle(const QString &title);
    /// Sets the unit of the values, for axes and texts.
    void setUnit(CellKind unit);
    int currentItem() const { return m_current; }
    void setCurrentItem(int item); ///< -1 for none
    /// The text that describes an item; empty if there is no such item.
    QString said(int item) const { return item >= 0 && item < itemCount() ? describe(item) : QString(); }
    QRectF plot() const; ///< the area in which items are painted
    virtual QRectF itemRect(int item) const = 0;
    virtual int itemCount() const = 0;
    QSize sizeHint() const override { return {480, 260}; }
    QSize minimumSizeHint() const override { return {200, 140}; }

signals:
    void chosen(int item);
    void currentItemChanged(int item);

protected:
    struct LegendEntry {
        QString name;
        SeriesStyle style;
    };
    virtual QString describe(int item) const = 0;
    virtual QList<LegendEntry> legend() const { return {}; }
    virtual double highest() const = 0;           ///< the value at the top of the value axis
    virtual int headReserve() const { return 0; } ///< the width right of the title that a subclass uses itself
    virtual void paintItems(QPainter &painter) = 0;
    virtual void paintItemAxis(QPainter &painter) = 0; ///< below the plot
    virtual int itemAt(QPointF point) const;

    const Palette &colours() const { return Palette::fitting(palette()); }
    double yOf(double value) const;
    QString valueText(double value, double step = 0) const;
    /// The labels of the value axis, no two of them alike, and their values.
    QStringList valueLabels(QList<double> *values) const;
    /// Paints texts below the plot, each centred at its position: as many as fit, at equal distances.
    void paintLabels(QPainter &painter, const QList<std::pair<double, QString>> &labels) const;
    void dataChanged();

    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    QRectF findPlot() const;
    int legendHeight() const;
    void paintLegend(QPainter &painter) const;
    void paintValueAxis(QPainter &painter) const;

    QString m_title;
    CellKind m_unit = CellKind::Number;
    int m_current = -1;
    int m_hovered = -1;
    mutable std::optional<QRectF> m_plot; ///< cached until something changes
};

} // namespace riffle
