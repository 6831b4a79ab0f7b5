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

/// Whether the first bytes of a file (the more, the better) are those of a pickle or of a page that holds one.
bool looksLikeSnapshot(std::string_view head);

/// Reads a snapshot of PyTorch's allocators: a pickle of protocol 0 to 5, plain, in gzip or zstd, or in a page of
/// memory_viz. Nothing in it is executed. Of a file that is cut or holds what data does not need, what could be read is
/// given, with the reason in `damage`; an Error when that is nothing.
Result<std::shared_ptr<const MemorySnapshot>> readMemorySnapshot(const std::string &path, const ImportOptions &options,
                                                                 Task task);

/// The same of the bytes of a pickle themselves; `path` is for messages, `others` are MemorySnapshot::otherSnapshots.
Result<std::shared_ptr<const MemorySnapshot>> readMemoryPickle(ByteSource &source, const std::string &path, Task task,
                                                               std::vector<std::string> others = {});

} // namespace riffle
