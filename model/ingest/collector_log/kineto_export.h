// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/text_output.h"
#include "model/trace/import_report.h"

#include <string>

namespace riffle {

/// Writes a collector's log as Kineto's JSON, from front to back and with little memory, and returns the problems of
/// the log. Reading the JSON gives the same trace as reading the log.
Result<ImportReport> exportKinetoJson(const std::string &logPath, const TextSink &sink, const Task &task);

} // namespace riffle
