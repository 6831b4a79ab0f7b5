// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/chart_scale.h"
#include "views/common/chart/chart.h"

namespace riffle {

/// The number of values in each bin, on a linear or a logarithmic axis (L switches).
class HistogramChart : public Chart {
    Q_OBJECT
public:
    using Chart::Chart;
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
    void keyPressEvent(QKeyEvent *event) override;

private:
    void count();
    QString edgeText(double value) const;

    std::vector<int64_t> m_values;
    CellKind m_valueUnit = CellKind::Time;
    bool m_logarithmic = false;
    Histogram m_histogram;
    double m_highest = 0;
};

} // namespace riffle
