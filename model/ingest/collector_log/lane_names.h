// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/log_facts.h"
#include "model/trace/trace_builder.h"

#include <cstdint>
#include <set>
#include <utility>

namespace riffle {

/// Adds the names of the process, its threads and the devices of these streams (device, stream). `endAddress` is
/// greater than the addresses of all rows; see CollectorLog.
void addLaneNames(const LogFacts &facts, int64_t pid, const std::set<std::pair<int64_t, int64_t>> &streams,
                  uint64_t endAddress, TraceWriter &into);

} // namespace riffle
