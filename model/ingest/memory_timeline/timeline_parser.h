// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/byte_source.h"
#include "model/trace/memory/memory_timeline.h"

#include <cstdint>

namespace riffle {

/// Fills a timeline, whose path is set, from its text. Columns take at most `mostBytes`. If that is too little, or the
/// text ends or breaks, the timeline contains what was read before that and its `damage` says why. Returns an Error if
/// nothing was read.
Result<void> parseMemoryTimeline(ByteSource &source, uint64_t mostBytes, MemoryTimeline &timeline, const Task &task);

} // namespace riffle
