// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/importer.h"
#include "model/ingest/sniffed_file.h"
#include "model/trace/flight/nccl_inspector_log.h"
#include "model/trace/run/run_layout.h"

#include <memory>
#include <string>

namespace riffle {

/// True if a file, plain or compressed, starts like a log of NCCL Inspector.
bool isInspectorLog(const SniffedFile &file);

/// Notes the host in the first record, and the rank in its communicator, which is a guess: the communicator may not be
/// that of all ranks.
void peekInspectorLog(const SniffedFile &sniffed, RunFile &file);

/// Reads a log of NCCL Inspector: one JSON object per line. Up to v4.2, each record has the header of its communicator;
/// since v4.3, a mark (`dump_stats`) has it for as many records as it announces. Lines that are no such record are
/// counted in `troubles`; an Error if there is no record at all.
Result<std::shared_ptr<const NcclInspectorLog>> readInspectorLog(const std::string &path, const ImportOptions &options,
                                                                 Task task);

/// The same for the text itself; `path` is for messages, `mostBytes` limits the memory of the calls.
Result<std::shared_ptr<const NcclInspectorLog>> readInspectorText(ByteSource &source, const std::string &path,
                                                                  uint64_t mostBytes, const Task &task);

} // namespace riffle
