// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/client/settings.h"

#include <cstdint>
#include <string>

namespace riffle::record {

/// The reason why Kineto cannot do what the settings request; empty if it can.
std::string kinetoObjection(const Settings &settings);

/// The request for one trace, in the syntax of Kineto's configuration. `path` ends in .json; Kineto inserts _PID before
/// that. `cycle` is the cycle of the schedule, from 0. Without a schedule, `startMs` is the Unix time at which
/// recording starts; 0 means as soon as possible.
std::string kinetoRequest(const Settings &settings, const std::string &path, int cycle, int64_t startMs);

/// How long before the start of a recording by time Kineto must have received the request.
inline constexpr int kKinetoWarmupSeconds = 2;

} // namespace riffle::record
