// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

#include <QStringList>

#include <initializer_list>
#include <string_view>

namespace riffle {

class BarChart;

/// Figures of the overview side by side: a row each, and a column for every trace, or for every device of it.
struct Figures {
    struct Column {
        QString title;              ///< "GPU 2"; empty where it needs none
        QStringList values, shares; ///< one a row; shares may be empty
        bool hasShares() const { return !shares.isEmpty(); }
    };
    QStringList titles;   ///< one a row
    QStringList meanings; ///< one a row, for tool tips
    QList<Column> columns;
};

/// The figures of these sections of the overview's table.
Figures figuresOf(const ResultTable &overview, std::initializer_list<std::string_view> sections);

/// Steps as bars of what their time went to; bars and rows of the table of steps have the same numbers.
void setStepBars(BarChart *chart, const ResultTable &steps);
/// Devices as bars of why they did nothing.
void setIdleBars(BarChart *chart, const ResultTable &overview);

} // namespace riffle
