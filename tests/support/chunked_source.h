// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/byte_source.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace riffle::test {

/// Text that comes like that of an archive: read front to back, never more than `chunk` bytes at once. Or, with no
/// chunk, text that lies in memory as a whole like that of a plain file; in memory of just its size, so that the
/// address sanitizer sees who reads on behind it.
class ChunkedSource : public ByteSource {
public:
    explicit ChunkedSource(std::string_view text, size_t chunk = 0);
    /// What importChromeJson() takes. The text must live on.
    static std::function<Result<std::unique_ptr<ByteSource>>()> opener(std::string_view text, size_t chunk = 0);
    /// Called at each read with how much was read so far; an Error ends the import there.
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
