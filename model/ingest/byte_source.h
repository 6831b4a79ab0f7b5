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

struct ImportOptions;

struct ByteSourceOptions {
    uint64_t inflateLimit = 1ull << 40; ///< a gzip or zstd file that inflates to more bytes is refused
    std::string spillFolder;            ///< for blocks of inflated text; empty: the system's temporary folder
};
ByteSourceOptions byteSourceOptions(const ImportOptions &options);

/// The inflated bytes of a trace: a plain file, gzip (possibly with several members) or zstd. The content of the file
/// decides which, not its name. A plain file is mapped and available as a whole; one thread at a time reads the others
/// front to back.
class ByteSource {
public:
    static Result<std::unique_ptr<ByteSource>> open(const std::string &path, const ByteSourceOptions &options = {});
    virtual ~ByteSource() = default;

    virtual const char *container() const = 0; ///< "plain", "gzip", "zstd"
    virtual uint64_t fileBytes() const = 0;
    /// Returns the whole text if it is the mapped file itself (plain files); nothing otherwise.
    virtual std::optional<std::span<const char>> mapped() const { return std::nullopt; }
    /// Fills `into` with the next inflated bytes and returns their number; 0 at the end. For a damaged or truncated
    /// archive, returns what could be inflated, then 0, and damage() describes the problem. An Error ends the import
    /// (limit exceeded, file lost).
    virtual Result<size_t> read(std::span<char> into) = 0;
    /// Describes the damage to the archive, known once read() has returned 0.
    virtual std::optional<Error> damage() const { return std::nullopt; }
    /// Describes the padding after the end of the archive, which is ignored without loss; known once read() has
    /// returned 0.
    virtual std::optional<Error> trailing() const { return std::nullopt; }
    /// The number of bytes of the file consumed so far, for progress. Any thread may call this.
    virtual uint64_t fileBytesRead() const = 0;
    /// Random access to the inflated text, complete once everything has been read. It may outlive this source.
    virtual std::shared_ptr<const SourceText> text() const = 0;
};

/// Returns a sentence that says what a file or text is that starts with these bytes, and what to do with it, if it
/// cannot be a trace; null if it may be one.
const char *foreignSentence(std::string_view head);

/// Returns random access to the source text of a trace that was opened from the store. `index` is a result of
/// SourceText::resumeIndex(). With `indexOwner`, the index is used in place and its owner is kept alive; otherwise the
/// index is copied.
Result<std::shared_ptr<const SourceText>> openSourceText(const std::string &path, std::string_view index,
                                                         std::shared_ptr<const void> indexOwner = {});

} // namespace riffle
