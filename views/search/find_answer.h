// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/search/search.h"
#include "model/base/task.h"
#include "views/common/look/choice_list.h"

#include <QString>

#include <optional>
#include <vector>

namespace riffle {

/// A place that a text names: one of span, lane and slice.
struct Destination {
    QString title;                ///< "step 7"
    std::optional<TimeSpan> span; ///< set time; begin == end for a point in time
    std::optional<LaneRef> lane;
    SliceRef slice;
};

/// The bar's content for a text.
struct FindAnswer {
    SearchHits hits;
    QString trouble;             ///< why there can be no hits: a sentence; empty if there can
    std::vector<SliceRef> first; ///< the first hits in order of time
    QList<Choice> firstRows;     ///< the same as rows: name, lane, time, duration
    std::vector<bool> ticks;     ///< the whole range in equal parts: true if a hit starts there
    std::vector<Destination> destinations;
};

/// Answers a text; meant for a worker. Stops early if the task is stopped; the answer is then of no use.
FindAnswer findAnswer(const TraceSet &traces, const QString &text, TimeSpan whole, const Task &task);

} // namespace riffle
