// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// Levels over time: the value of each series from each point until the next one.
struct MemoryCurves {
    static constexpr int64_t kNoTotal = INT64_MIN;

    std::vector<int64_t> times;         ///< ns
    int64_t zero = 0;                   ///< times are shown relative to this
    std::vector<std::string> timeTexts; ///< one per point, as written in the file; if empty, exact times since `zero`
    std::vector<std::string> names;
    std::vector<std::vector<int64_t>> values; ///< per series, one per point; negative values count as 0

    /// One per point, as written in the file, which may differ from the sum of the series; kNoTotal if there is none.
    std::vector<int64_t> totals;

    size_t points() const { return times.size(); }
};

/// Stacked curves in which the user chooses a point by clicking, by dragging or with keys. The cost of a frame depends
/// on its pixels: of the points that share a column, the one with the largest total is shown.
class MemoryCurvesView : public QWidget {
    Q_OBJECT
public:
    static constexpr uint32_t kNone = UINT32_MAX;
    using ValueText = std::function<QString(int64_t)>;

    explicit MemoryCurvesView(QWidget *parent = nullptr);

    void setCurves(std::shared_ptr<const MemoryCurves> curves, ValueText valueText);
    uint32_t point() const { return m_point; }
    void setPoint(uint32_t point);
    QString said(uint32_t point) const;
    QString scaleText() const; ///< the text at the top
    struct Tick {
        double x;
        QString text;
    };
    std::vector<Tick> ticks() const; ///< of the ruler below the curves
    QRectF plot() const;
    double xOf(uint32_t point) const;
    /// The last point at or left of a position.
    uint32_t pointAt(double x) const;
    QSize sizeHint() const override { return {600, 200}; }

signals:
    void pointChanged(uint point);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void layOut();
    void paintSeries(QPainter &painter) const;
    int64_t span() const;
    double heightOf(int64_t value) const;
    int64_t stackedAt(uint32_t point) const;

    std::shared_ptr<const MemoryCurves> m_curves;
    ValueText m_valueText;
    std::vector<uint32_t> m_columns; ///< by pixel of the plot: the point shown
    int64_t m_highest = 0, m_highestTotal = MemoryCurves::kNoTotal;
    uint32_t m_point = kNone;
};

} // namespace riffle
