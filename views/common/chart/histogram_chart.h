// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/chart_scale.h"
#include "views/common/chart/chart.h"

class QToolButton;

namespace riffle {

/// The number of values in each bin, on a linear or a logarithmic axis. A button and L switch.
class HistogramChart : public Chart {
    Q_OBJECT
public:
    explicit HistogramChart(QWidget *parent = nullptr);

    /// `unit` is the unit of the values; the other axis counts them.
    void setValues(std::vector<int64_t> values, CellKind unit);
    void setLogarithmic(bool on);
    const Histogram &histogram() const { return m_histogram; }

    int itemCount() const override { return static_cast<int>(m_histogram.counts.size()); }
    QRectF itemRect(int item) const override;

protected:
    QString describe(int item) const override;
    double highest() const override { return m_highest; }
    void paintItems(QPainter &painter) override;
    void paintItemAxis(QPainter &painter) override;
    int headReserve() const override;
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void count();
    QString edgeText(double value) const;

    QToolButton *m_scale; ///< switches the axis
    std::vector<int64_t> m_values;
    CellKind m_valueUnit = CellKind::Time;
    bool m_logarithmic = false;
    Histogram m_histogram;
    double m_highest = 0;
};

} // namespace riffle
