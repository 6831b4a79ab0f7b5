// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/mapped_file.h"
#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/importer.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace riffle {

/// True if a file that starts with these bytes is a gzip or zstd archive.
bool isArchive(std::string_view head);

/// Returns the first `count` bytes of an archive's inflated text; fewer if the text is shorter or damaged, none if the
/// archive cannot be opened.
std::string headOfArchive(const std::string &path, size_t count);

/// Says why an archive has no text: it is empty or damaged, or cannot be opened.
Error whyNoText(const std::string &path);

/// A file with a text of any kind, also of those that ByteSource::open() refuses because they are no traces.
struct OpenedText {
    std::shared_ptr<const MappedFile> file;
    std::unique_ptr<ByteSource> source;
    bool isPacked = false; ///< in an archive
};
/// Opens a file, plain or compressed, whose text was recognised, and tells the progress its size.
Result<OpenedText> openText(const std::string &path, const ImportOptions &options, const Task &task);

/// The whole inflated text of an archive, in memory, for readers of small texts that need to look back.
struct ArchiveText {
    std::string text;
    std::optional<Error> damage; ///< why only the start of the text could be read
};

/// Reads an archive into memory. `room` is the number of bytes of memory that concurrent readers may still use for
/// their texts. This call subtracts the size of its text; the caller adds it back when it drops the text. If the task
/// is stopped, returns the text read so far.
ArchiveText readArchive(const std::string &path, const ByteSourceOptions &options, std::atomic<int64_t> &room,
                        const Task &task);

} // namespace riffle
