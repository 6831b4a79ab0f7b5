// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"

#include <string>

namespace riffle {

/// Reads the log of Riffle's collector: its folder, or a file of it, which stands for all files of its session.
Result<std::shared_ptr<const Trace>> importCollectorLog(const std::string &path, const ImportOptions &options,
                                                        Task task);

} // namespace riffle
