// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/byte_source.h"
#include "model/trace/memory/memory_timeline.h"

#include <cstdint>

namespace riffle {

/// Fills a timeline, whose path is set, from its text. Columns take at most `mostBytes`; where that is too little, or
/// the text ends or breaks, what was read until then is there and the timeline's damage says why. An Error when that is
/// nothing.
Result<void> parseMemoryTimeline(ByteSource &source, uint64_t mostBytes, MemoryTimeline &timeline, const Task &task);

} // namespace riffle
