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

/// Whether a file that begins so is one that ByteSource inflates: gzip or zstd.
bool isArchive(std::string_view head);

/// The first bytes of what an archive holds; fewer, or none, where it holds no more or cannot be read.
std::string headOfArchive(const std::string &path, size_t count);

/// All that an archive holds, in memory, for readers of small texts that look back.
struct ArchiveText {
    std::string text;
    std::optional<Error> damage; ///< why the text is only its beginning
};

/// `room`: bytes that texts may still take, shared by all that are read at once; what this one takes is taken from it,
/// and given back by the caller. Stopped in between, it gives what it has.
ArchiveText readArchive(const std::string &path, const ByteSourceOptions &options, std::atomic<int64_t> &room,
                        const Task &task);

} // namespace riffle
