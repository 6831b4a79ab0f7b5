// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/client/settings.h"

#include <cstdint>
#include <string>

namespace riffle::record {

/// Why Kineto cannot do what the settings ask; else empty.
std::string kinetoObjection(const Settings &settings);

/// The request for one trace, in the language of Kineto's configuration. `path` ends in .json, before which Kineto puts
/// _PID. `cycle`: of the schedule, from 0. Without a schedule: `startMs` is the Unix time at which
/// recording begins, 0: as soon as it can.
std::string kinetoRequest(const Settings &settings, const std::string &path, int cycle, int64_t startMs);

/// How long before the start of a recording by time Kineto must have the request.
inline constexpr int kKinetoWarmupSeconds = 2;

} // namespace riffle::record
