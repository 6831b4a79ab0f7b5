// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/bands.h"

#include <stop_token>

namespace riffle {

class SetFacts;
struct SummaryRequest;

inline constexpr const char *kCriticalPathKey = "critical-path"; ///< BandTrack::key

/// The critical paths of what a request chooses, a track for each trace: of its range, of each of its steps, else of
/// the whole trace. A band is called what the time went to and, where that is known, which slice.
SetBands criticalPathBands(const SetFacts &facts, const SummaryRequest &request, std::stop_token stop);

} // namespace riffle
