// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/importer.h"
#include "model/trace/memory/memory_timeline.h"

#include <memory>
#include <string>
#include <string_view>

namespace riffle {

/// Whether the first bytes of a text are those of a timeline, or of the page that the profiler makes of one.
bool looksLikeMemoryTimeline(std::string_view head);
/// The same of a file, plain or in an archive.
bool isMemoryTimeline(const std::string &path);

/// Reads a memory timeline of torch.profiler: levels, raw events or a page with a picture. Of a cut or damaged file
/// what could be read is given, with the reason in `damage`; an Error when that is nothing.
Result<std::shared_ptr<const MemoryTimeline>> readMemoryTimeline(const std::string &path, const ImportOptions &options,
                                                                 Task task);

/// The same of the text itself; `path` is for messages, `mostBytes` what columns may take.
Result<std::shared_ptr<const MemoryTimeline>> readMemoryTimelineText(ByteSource &source, const std::string &path,
                                                                     uint64_t mostBytes, Task task);

} // namespace riffle
