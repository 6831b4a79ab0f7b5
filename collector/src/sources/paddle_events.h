// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/engine.h"

#include <string_view>

namespace riffle::collector {

/// Records Paddle's events whose types the lines of NUMBER=CATEGORY name. The categories of the first call of a process
/// stay.
Answer followPaddle(std::string_view categories);
/// Ends that. The events of the calling thread that are open end here.
void leavePaddle();

} // namespace riffle::collector
