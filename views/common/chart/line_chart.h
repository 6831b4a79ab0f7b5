// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/chart/chart.h"

namespace riffle {

/// Lines over equally spaced items such as steps. Each line has its own colour and dashes, and its name at its end.
class LineChart : public Chart {
    Q_OBJECT
public:
    struct Series {
        QString name;
        QList<double> values; ///< one per item; NaN is a gap
    };

    using Chart::Chart;
    void setLines(QStringList labels, QList<Series> series);

    int itemCount() const override { return static_cast<int>(m_labels.size()); }
    QRectF itemRect(int item) const override;

protected:
    QString describe(int item) const override;
    QList<LegendEntry> legend() const override { return {}; } // names are at the lines
    double highest() const override { return m_highest; }
    void paintItems(QPainter &painter) override;
    void paintItemAxis(QPainter &painter) override;

private:
    int nameWidth() const;
    double xOf(int item) const;
    void paintNames(QPainter &painter) const;

    QStringList m_labels;
    QList<Series> m_series;
    double m_highest = 0;
};

} // namespace riffle
