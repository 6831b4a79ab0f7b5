// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/ingest/byte_source.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace riffle {

/// A buffer for inflated text; resize() does not zero it.
using TextBuffer = BigVector<char>;

/// The source text from front to back, for one reader at a time. A plain file is available as a whole; an archive is
/// inflated as more text is requested. text() is the text in memory that is not yet consumed; it starts at offset().
class SourceFeed {
public:
    explicit SourceFeed(ByteSource &source);

    std::string_view text() const { return m_text; }
    uint64_t offset() const { return m_offset; }
    bool wholeInMemory() const { return m_mapped; }
    /// True if nothing follows text().
    bool atEnd() const { return m_ended; }
    void consume(size_t bytes);
    /// Appends up to `bytes` more bytes to text(); returns false if there are none. Earlier views of text() become
    /// invalid.
    bool more(size_t bytes = 1 << 20);
    /// Reads what follows text() directly into \p into, without keeping it here. Returns fewer bytes only at the end.
    size_t readInto(std::span<char> into);
    /// Replaces the text in memory with `text`, which starts at `offset` and was taken out before.
    void giveBack(TextBuffer text, uint64_t offset);
    /// Takes out all text that is in memory (streams only).
    TextBuffer takeAll();
    /// The error that ended the import, if any (a limit, a lost file).
    const std::optional<Error> &error() const { return m_error; }

private:
    ByteSource &m_source;
    bool m_mapped = false;
    bool m_ended = false;
    TextBuffer m_buffer; ///< streams: text() is the part from m_consumed on
    size_t m_consumed = 0;
    std::string_view m_text;
    uint64_t m_offset = 0;
    std::optional<Error> m_error;
};

} // namespace riffle
