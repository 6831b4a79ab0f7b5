// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/trace/run/step_figures.h"

#include <vector>

namespace riffle {

/// The most rows that a trace has, so that no file makes more than about 200 MB of them.
inline constexpr size_t kMostStepRows = 1 << 20;

/// The figures of the scope's steps, one row per step and device, by start and device. They are those that a scope of
/// each step alone has, with gaps judged as a whole (ScopeRequest::wholeGaps), but are made in one pass. A part of the
/// trace is judged as if it were read alone, unless the request says otherwise. If there are more than `mostRows`, only
/// the devices with the most work have rows, at least one per step.
std::vector<StepFigures> stepRows(const Scope &scope, size_t mostRows = kMostStepRows);

} // namespace riffle
