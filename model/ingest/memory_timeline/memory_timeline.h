// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/importer.h"
#include "model/ingest/sniffed_file.h"
#include "model/trace/memory/memory_timeline.h"

#include <memory>
#include <string>
#include <string_view>

namespace riffle {

/// True if a text starts like a timeline, or like the HTML page in which the profiler draws one.
bool looksLikeMemoryTimeline(std::string_view head);
/// The same for a file, plain or compressed.
bool isMemoryTimeline(const SniffedFile &file);

/// Reads a memory timeline of torch.profiler: levels, raw events or a page with a picture. If the file is cut off or
/// damaged, returns what could be read, with the reason in `damage`; an Error if nothing could be read.
Result<std::shared_ptr<const MemoryTimeline>> readMemoryTimeline(const std::string &path, const ImportOptions &options,
                                                                 Task task);

/// The same for the text itself; `path` is for messages, `mostBytes` limits the memory of the columns.
Result<std::shared_ptr<const MemoryTimeline>> readMemoryTimelineText(ByteSource &source, const std::string &path,
                                                                     uint64_t mostBytes, Task task);

} // namespace riffle
