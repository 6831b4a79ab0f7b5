// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"

#include <string>

namespace riffle::cli {

/// One chart of where the time of each step went, with a bar per trace for each step, all on one scale.
std::string stepChart(const SetFacts &facts);

} // namespace riffle::cli
