// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/byte_source.h"
#include "model/trace/flight/flight_dump.h"

namespace riffle {

/// Reads a dump that is a pickle. Nothing in it is executed. If it is cut off or contains other instructions than plain
/// data needs, the dump has what came before, and the reason in `damage`; an Error if there is nothing of a dump.
/// `mostBytes` is the most that the pickle can have and bounds the memory.
Result<void> readDumpPickle(ByteSource &source, uint64_t mostBytes, FlightDump &dump, const Task &task);

} // namespace riffle
