// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/task.h"
#include "model/trace/memory/memory_log.h"

#include <string_view>

namespace riffle {

/// True if a text starts like a log of InternEvo's memory profiler.
bool looksLikeMemoryLog(std::string_view head);

/// Fills a rank's points, layouts and problems from the text of its log.
void parseMemoryLog(std::string_view text, MemoryLogRank &rank, const Task &task);

} // namespace riffle
