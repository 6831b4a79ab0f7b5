// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

#include <QString>

#include <optional>
#include <vector>

namespace riffle {

/// The figures of the strip. Those that were not recorded are missing.
struct StripFigures {
    /// Marked steps that ended and are not cut by the range; those that are cut if there are no others.
    std::optional<Ns> step;        ///< their median duration
    std::vector<double> steps;     ///< ns by ascending number; of several traces, the median of each number
    std::optional<Ns> slowest;     ///< the duration of the longest one
    SliceRef slowestStep;          ///< where it is
    std::optional<double> busy;    ///< of the window of the devices, as are the next two
    std::optional<double> exposed; ///< communication during which nothing is computed; missing without communication
    std::optional<double> idle;
    QString cause;                  ///< the cause of most of the idle time; empty if there is no single one
    std::optional<size_t> findings; ///< missing if nothing was judged
};

/// Puts together the answers of the views overview, steps and findings. Devices of several traces count by their time.
StripFigures stripFigures(const ResultTable &overview, const ResultTable &steps, const ResultTable &findings);

} // namespace riffle
