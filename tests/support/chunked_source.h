// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/byte_source.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace riffle::test {

/// A text that is read like an archive: front to back, at most `chunk` bytes at a time. Without a chunk size, a text
/// that is in memory as a whole, like a plain file. The memory has exactly the size of the text, so that the address
/// sanitizer catches a reader that goes past the end.
class ChunkedSource : public ByteSource {
public:
    explicit ChunkedSource(std::string_view text, size_t chunk = 0);
    /// The function that importChromeJson() takes. The text must outlive it.
    static std::function<Result<std::unique_ptr<ByteSource>>()> opener(std::string_view text, size_t chunk = 0);
    /// Called for each read with the number of bytes read so far. An Error ends the import there.
    std::function<std::optional<Error>(uint64_t)> onRead;

    const char *container() const override { return m_chunk ? "gzip" : "plain"; }
    uint64_t fileBytes() const override { return m_size; }
    std::optional<std::span<const char>> mapped() const override;
    Result<size_t> read(std::span<char> into) override;
    uint64_t fileBytesRead() const override { return m_position; }
    std::shared_ptr<const SourceText> text() const override;

private:
    std::shared_ptr<char[]> m_text;
    size_t m_size;
    size_t m_chunk;
    size_t m_position = 0;
};

} // namespace riffle::test
