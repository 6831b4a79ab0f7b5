// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/bands.h"

#include <stop_token>

namespace riffle {

class SetFacts;
struct SummaryRequest;

inline constexpr const char *kCriticalPathKey = "critical-path"; ///< BandTrack::key

/// The critical paths that a request chooses, one track per trace: of its range, of each of its steps, or otherwise of
/// the whole trace. The name of a band says what the time went to and, if known, names the slice.
SetBands criticalPathBands(const SetFacts &facts, const SummaryRequest &request, const std::stop_token &stop);

} // namespace riffle
