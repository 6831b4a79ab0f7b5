// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

#include <QStringList>

#include <initializer_list>
#include <string_view>

namespace riffle {

class BarChart;

/// Figures of the overview side by side: one row per figure, and one column per trace or per device of a trace.
struct Figures {
    struct Column {
        QString title;              ///< "GPU 2"; empty if none is needed
        QStringList values, shares; ///< one per row; shares may be empty
        bool hasShares() const { return !shares.isEmpty(); }
    };
    QStringList titles;   ///< one per row
    QStringList meanings; ///< one per row, for tool tips
    QList<Column> columns;
};

/// The figures of these sections of the overview table.
Figures figuresOf(const ResultTable &overview, std::initializer_list<std::string_view> sections);

/// The same of an overview of merged traces: for each device number, columns with the median, the least and the largest
/// value and its trace.
Figures mergedFiguresOf(const ResultTable &overview, std::initializer_list<std::string_view> sections);

/// Shows steps as bars, split by where their time went. Bar N belongs to row N of the step table.
void setStepBars(BarChart *chart, const ResultTable &steps);
/// Shows devices as bars, split by why they were idle.
void setIdleBars(BarChart *chart, const ResultTable &overview);

} // namespace riffle
