// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The processes under which Ascend's profiler shows its devices. Their slices have no category, and their launches are
/// known only by arrows, so they do not count as device work.
inline constexpr std::string_view kAscendDevices = "Ascend Hardware";
/// The process with the profiler's own figures: lanes of slices "Computing", "Communication",
/// "Communication(Not Overlapped)" and "Free".
inline constexpr std::string_view kAscendOverlap = "Overlap Analysis";

/// The lanes with slices in processes of this name.
std::vector<LaneId> lanesOfProcess(const Trace &trace, std::string_view process);

/// True if the trace shows devices whose work does not count as device work.
bool hasUnjudgedDevices(const Trace &trace);

/// Says, in sentences, what is known about such devices.
std::string unjudgedDevicesText();

} // namespace riffle
