// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <span>
#include <string_view>
#include <vector>

namespace riffle {

/// The slices of the host that are called `mark`, or `mark`#12, as steps in order of their start (R1). They are
/// numbered by what stands behind the #, else from 0. They may overlap. Reads every slice once.
std::vector<Step> stepsMarkedBy(const Trace &trace, std::string_view mark);

/// "ProfilerStep#12" is 12; `otherwise` where there is no number.
int64_t stepNumberIn(std::string_view name, int64_t otherwise);

/// "train#12" is train, a name without a number itself.
std::string_view withoutStepNumber(std::string_view name);

/// Whether the first step takes more than twice the median of the others, of which there must be two: compiling,
/// warming up.
bool firstIsFarLonger(std::span<const Step> steps);

} // namespace riffle
