// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/trace/source_text.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace riffle {

struct ByteSourceOptions {
    uint64_t inflateLimit = 1ull << 40; ///< inflated bytes at which a gzip or zstd file is refused
    std::string spillFolder;            ///< for text that must be found again; empty: the system's temporary folder
};

/// The bytes of a trace, inflated: plain file, gzip (several members too) or zstd, told apart by content, not by name.
/// A plain file is mapped and seen at once; the others are read front to back by one thread at a time.
class ByteSource {
public:
    static Result<std::unique_ptr<ByteSource>> open(const std::string &path, const ByteSourceOptions &options = {});
    virtual ~ByteSource() = default;

    virtual const char *container() const = 0; ///< "plain", "gzip", "zstd"
    virtual uint64_t fileBytes() const = 0;
    /// The whole text when it lies in memory as it is (plain files), else nothing.
    virtual std::optional<std::span<const char>> mapped() const { return std::nullopt; }
    /// Fills `into` with the next inflated bytes and returns how many; 0 at the end. A damaged or truncated archive
    /// gives what could be inflated, then 0, and damage() says what was wrong. Errors end the import (limit, file
    /// lost).
    virtual Result<size_t> read(std::span<char> into) = 0;
    /// What was wrong with the container, once read() has returned 0.
    virtual std::optional<Error> damage() const { return std::nullopt; }
    /// Padding after the archive's end that was ignored without loss, once read() has returned 0.
    virtual std::optional<Error> trailing() const { return std::nullopt; }
    /// Bytes of the file consumed so far, for progress. Any thread may ask.
    virtual uint64_t fileBytesRead() const = 0;
    /// Random access to the inflated text; complete once everything was read. Keeps what it needs alive.
    virtual std::shared_ptr<const SourceText> text() const = 0;
};

/// Random access for a trace that was opened from the store: `index` is what SourceText::resumeIndex() gave. With
/// `indexOwner` the index is used where it lies and kept alive by it, else it is copied.
Result<std::shared_ptr<const SourceText>> openSourceText(const std::string &path, std::string_view index,
                                                         std::shared_ptr<const void> indexOwner = {});

} // namespace riffle
