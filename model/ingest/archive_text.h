// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/byte_source.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace riffle {

/// True if a file that starts with these bytes is one that ByteSource inflates: gzip or zstd.
bool isArchive(std::string_view head);

/// Returns the first `count` bytes of an archive's inflated text; fewer, or none, if it has fewer or cannot be read.
std::string headOfArchive(const std::string &path, size_t count);

/// The whole inflated text of an archive, in memory, for readers of small texts that need to look back.
struct ArchiveText {
    std::string text;
    std::optional<Error> damage; ///< why the text is incomplete and contains only its start
};

/// Reads an archive into memory. `room` is the number of bytes that texts may still take; concurrent readers share it.
/// This call subtracts the bytes of its text, and the caller adds them back. If the task is stopped, returns the text
/// read so far.
ArchiveText readArchive(const std::string &path, const ByteSourceOptions &options, std::atomic<int64_t> &room,
                        const Task &task);

} // namespace riffle
