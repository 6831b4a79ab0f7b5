// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/collector_log.h"
#include "model/ingest/importer.h"

#include <string>

namespace riffle {

/// Reads a log of Riffle's collector. The path is its folder or one of its files, which stands for all files of its
/// session.
Result<std::shared_ptr<const Trace>> importCollectorLog(const std::string &path, const ImportOptions &options,
                                                        Task task);

/// The same for a log that is open; `path` names it.
Result<std::shared_ptr<const Trace>> importOpenLog(const std::shared_ptr<const CollectorLog> &log,
                                                   const std::string &path, const ImportOptions &options, Task task);

} // namespace riffle
