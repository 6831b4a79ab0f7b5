// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <span>
#include <string_view>
#include <vector>

namespace riffle {

/// The end of a mark that means annotations on a stream: "ProfilerStep@device". They show the steps as the device ran
/// them, while the host's marks show when it launched them.
inline constexpr std::string_view kDeviceMark = "@device";
bool isDeviceMark(std::string_view mark);

/// The slices of the host that are named `mark` or `mark`#12, as steps in order of their start (R1). A step's number is
/// the one after the # or, if there is none, its index. They may overlap. For a device mark, the annotations of the
/// stream on which they take the most time; other streams have copies of them. Reads every slice once.
std::vector<Step> stepsMarkedBy(const Trace &trace, std::string_view mark);

/// The number in a name: 12 for "ProfilerStep#12", `otherwise` if there is none.
int64_t stepNumberIn(std::string_view name, int64_t otherwise);

/// The name without its number: "train" for "train#12"; a name without a number is returned unchanged.
std::string_view withoutStepNumber(std::string_view name);

/// True if the first step takes more than twice the median of the others, of which there must be at least two. Typical
/// reasons are compilation and warm-up.
bool firstIsFarLonger(std::span<const Step> steps);

} // namespace riffle
