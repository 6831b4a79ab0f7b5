// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/importer.h"
#include "model/trace/memory/memory_log.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle {

/// Whether a path is a log of InternEvo's memory profiler, one of its sunbursts, a rank's folder of these or the folder
/// of all ranks. Logs may be packed with gzip or zstd; in a folder they are then called memory.log.gz or
/// memory.log.zst.
bool isMemoryLog(const std::string &path);

/// Reads any of these. Of a cut or damaged log what could be read is given, with the reason in its rank's `damage` and
/// `troubles`; an Error when nothing of any rank could be read.
Result<std::shared_ptr<const MemoryLog>> readMemoryLog(const std::string &path, const ImportOptions &options,
                                                       Task task);

/// "rank0_dp0_wp0_tp0" as letters and numbers; nothing when it is another name.
std::optional<std::vector<std::pair<std::string, int64_t>>> rankCoordinates(std::string_view folder);

} // namespace riffle
