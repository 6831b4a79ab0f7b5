// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/colours.h"
#include "views/common/chart/chart.h"

#include <optional>

namespace riffle {

/// One bar per item, stacked from one part per series. With a single series these are plain bars.
class BarChart : public Chart {
    Q_OBJECT
public:
    struct Series {
        QString name;
        QList<double> values;                  ///< one per bar; NaN and negative values count as 0
        std::optional<ColourPair> colour = {}; ///< otherwise that of its place among the series
    };

    using Chart::Chart;
    void setBars(QStringList labels, QList<Series> series);

    int itemCount() const override { return static_cast<int>(m_labels.size()); }
    QRectF itemRect(int item) const override;

protected:
    QString describe(int item) const override;
    QList<LegendEntry> legend() const override;
    double highest() const override { return m_highest; }
    void paintItems(QPainter &painter) override;
    void paintItemAxis(QPainter &painter) override;

private:
    double total(int item) const;
    SeriesStyle styleOf(int series) const;

    QStringList m_labels;
    QList<Series> m_series;
    double m_highest = 0;
};

} // namespace riffle
