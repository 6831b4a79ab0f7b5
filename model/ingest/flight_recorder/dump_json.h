// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/byte_source.h"
#include "model/trace/flight/flight_dump.h"

namespace riffle {

/// A dump as JSON with more text than this is refused: it is parsed in memory, and a ring of 100,000 entries has 100
/// MB.
inline constexpr uint64_t kMostDumpText = 512ull << 20;

/// Reads a dump that is JSON. A text that is cut off is an Error: JSON keeps the groups behind the entries.
Result<void> readDumpJson(ByteSource &source, FlightDump &dump, const Task &task);

} // namespace riffle
