// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/run/step_figures.h"
#include "model/trace/trace.h"

#include <vector>

namespace riffle {

/// The figures of steps that a recorder wrote into its log (wire.h, StepSummaries), which the reader of logs keeps in
/// the metadata as `stepSummaries`; empty for other traces. Rows are as those of stepRows(). The recorder knows neither
/// the causes of idle time nor which step launched what. It counts the times in which it did not record devices as busy
/// if work that it did record reaches into them; `busy` here does not. A row without a start or a duration is left out.
std::vector<StepFigures> recordedSteps(const TraceInfo &info);

/// Completes `rows`, which are made from the details of a log, with the recorder's rows: those of steps that have no
/// details any more, and those of steps of which the recorder saw less idle time than the details that are left show.
std::vector<StepFigures> withRecordedSteps(std::vector<StepFigures> rows, const std::vector<StepFigures> &recorded);

} // namespace riffle
