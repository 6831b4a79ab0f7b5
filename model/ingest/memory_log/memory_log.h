// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/importer.h"
#include "model/ingest/sniffed_file.h"
#include "model/trace/memory/memory_log.h"
#include "model/trace/run/run_layout.h"

#include <memory>
#include <string>

namespace riffle {

/// True if a path is a log of InternEvo's memory profiler, one of its sunburst pages, a rank's folder with these files,
/// or the folder of all ranks. Logs may be compressed with gzip or zstd; in a folder their names are then memory.log.gz
/// or memory.log.zst.
bool isMemoryLog(const SniffedFile &file);

/// Lists the folders of ranks in a folder of all ranks as the parts of the file.
void peekMemoryLog(const SniffedFile &sniffed, RunFile &file);

/// Reads any of the above. If a log is cut off or damaged, returns what could be read, with the reason in its rank's
/// `damage` and `troubles`; an Error if nothing could be read for any rank.
Result<std::shared_ptr<const MemoryLog>> readMemoryLog(const std::string &path, const ImportOptions &options,
                                                       Task task);

} // namespace riffle
