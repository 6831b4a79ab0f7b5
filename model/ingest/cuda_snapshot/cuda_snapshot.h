// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/importer.h"
#include "model/trace/memory/memory_snapshot.h"

#include <memory>
#include <string>
#include <string_view>

namespace riffle {

/// True if the first bytes of a file are those of a pickle or of a page that contains one. In a page, the pickle can be
/// anywhere, so pass all of it if possible.
bool looksLikeSnapshot(std::string_view head);

/// Reads a snapshot of PyTorch's allocators: a pickle of protocol 0 to 5, plain, compressed with gzip or zstd, or in a
/// page of memory_viz. Never executes anything in it. If the file is cut off or contains instructions that plain data
/// does not need, returns what could be read, with the reason in `damage`; an Error if nothing could be read.
Result<std::shared_ptr<const MemorySnapshot>> readMemorySnapshot(const std::string &path, const ImportOptions &options,
                                                                 Task task);

/// The same for the bytes of the pickle itself. `path` is for messages, `others` are MemorySnapshot::otherSnapshots.
Result<std::shared_ptr<const MemorySnapshot>> readMemoryPickle(ByteSource &source, const std::string &path, Task task,
                                                               std::vector<std::string> others = {});

} // namespace riffle
