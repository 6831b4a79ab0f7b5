// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <vector>

namespace riffle {

/// A moment, and how far one clock is ahead of another one there.
struct DriftPoint {
    Ns at = 0, ahead = 0;
};

struct Drift {
    double slope = 0; ///< 0 unless the points prove another one
    double error = 0; ///< of a slope that was proved, with 99.9 %
};

/// The drift of one clock against another one: the median of the slopes between all points (Theil, Sen), if its 99.9 %
/// interval excludes 0 and it amounts to more than the resolution. (Of the 64 ranks of a job without drift, a 95 %
/// interval would show it on three.) Of many points, only some are compared.
Drift driftOf(const std::vector<DriftPoint> &points, Ns resolution);

} // namespace riffle
