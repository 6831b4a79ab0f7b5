// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <QString>

#include <cstdint>
#include <optional>

namespace riffle {

/// The part of traces that grow that figures are about; all of them if nothing is set.
struct AsOf {
    std::optional<int64_t> unixNs; ///< the wall-clock time up to which they are complete, if it was recorded
    std::optional<Ns> newest;      ///< the length of the newest part, if they are about no more than that
    bool goesOn = false;           ///< a trace is still being written
};

/// "as of 12:03:04", "as of 12:03:04, the last 32.5 s", or nothing.
QString asOfText(const AsOf &asOf);
/// A time of day on the user's clock, from Unix ns: "12:03:04".
QString timeOfDay(int64_t unixNs);

} // namespace riffle
