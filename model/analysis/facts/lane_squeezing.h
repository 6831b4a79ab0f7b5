// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/plumbing.h"
#include "model/trace/squeezed_lanes.h"

#include <memory>
#include <optional>

namespace riffle {

/// Squeezes the lanes of a trace in which plumbing takes rows: the other slices have the rows that they would have if
/// only they had been recorded. Lanes that would not get fewer rows stay whole. The result takes about 25 bytes for
/// each slice that is shown in a squeezed lane. Throws Stopped if the StopScope is stopped.
std::shared_ptr<const SqueezedLanes> squeezedLanes(const Trace &trace);

} // namespace riffle
