// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/layout/colours.h"

#include <QStringList>

#include <initializer_list>
#include <string_view>

namespace riffle {

class BarChart;

/// The name of a row of the step table: "Step 3"; of several traces, with that of its trace.
QString stepName(const ResultTable &steps, size_t row);

/// Figures of the overview side by side: one row per figure, and one column per trace or per device of a trace.
struct Figures {
    struct Column {
        QString title;              ///< "GPU 2"; empty if none is needed
        QStringList values, shares; ///< one per row; shares may be empty
        QList<double> bars;         ///< lengths from 0 to 1, one per row; empty if the column has none
        bool hasShares() const { return !shares.isEmpty(); }
    };
    QStringList titles;        ///< one per row
    QStringList meanings;      ///< one per row, for tool tips
    QList<ColourPair> colours; ///< of the parts that the rows stand for, one per row; empty if they stand for none
    bool hasSum = false;       ///< the last row is the sum of the others
    QList<Column> columns;
};

/// The figures of these sections of the overview table.
Figures figuresOf(const ResultTable &overview, std::initializer_list<std::string_view> sections);

/// The same of an overview of merged traces: for each device number, columns with the median, the least and the largest
/// value and its trace.
Figures mergedFiguresOf(const ResultTable &overview, std::initializer_list<std::string_view> sections);

/// Why devices were idle; causes without time are left out. The overview is merged or not, as above.
Figures idleFigures(ResultTable overview, bool isMerged);

/// The step of median length (of an even number, the shorter of the two in the middle) in parts that sum to it, and
/// beside it the slowest step with the differences. Without figures if no step ended.
Figures stepParts(const ResultTable &steps);

/// The kernels that take most of the devices' time.
Figures longestKernels(const ResultTable &kernels);

/// Shows steps as bars, split by where their time went. Bar N belongs to row N of the step table.
void setStepBars(BarChart *chart, const ResultTable &steps);

} // namespace riffle
