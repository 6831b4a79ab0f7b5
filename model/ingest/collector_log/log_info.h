// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/collector_log.h"
#include "model/ingest/collector_log/log_facts.h"
#include "model/trace/trace.h"

#include <string>

namespace riffle {

/// Returns what a trace says about its log; `path` names it.
TraceInfo traceInfoOf(const std::string &path, const CollectorLog &log, const LogIndex &index, const LogFacts &facts);

/// Returns a trace's report with positions in the files in place of the addresses of rows.
ImportReport placedInFiles(const ImportReport &report, const CollectorLog &log);

} // namespace riffle
