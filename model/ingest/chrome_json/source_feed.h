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

/// Inflated text on its way; resize() does not zero it.
using TextBuffer = BigVector<char>;

/// The source text from front to back for one reader at a time: a plain file is all there at once, an archive is
/// inflated as more is asked for. text() begins at offset().
class SourceFeed {
public:
    explicit SourceFeed(ByteSource &source);

    std::string_view text() const { return m_text; }
    uint64_t offset() const { return m_offset; }
    bool wholeInMemory() const { return m_mapped; }
    /// True when nothing follows text().
    bool atEnd() const { return m_ended; }
    void consume(size_t bytes);
    /// Appends about `bytes` more; false when there was nothing more. Moves text().
    bool more(size_t bytes = 1 << 20);
    /// Reads what follows text() straight into \p into, which must not be needed here again; fewer bytes only at the
    /// end.
    size_t readInto(std::span<char> into);
    /// Replaces what lies in memory: text that was taken out and is given back.
    void giveBack(TextBuffer text, uint64_t offset);
    /// Takes out everything that lies in memory (streams only).
    TextBuffer takeAll();
    /// What ended the import, if something did (a limit, a lost file).
    const std::optional<Error> &error() const { return m_error; }

private:
    ByteSource &m_source;
    bool m_mapped = false;
    bool m_ended = false;
    TextBuffer m_buffer; ///< streams: text() is its part from m_consumed on
    size_t m_consumed = 0;
    std::string_view m_text;
    uint64_t m_offset = 0;
    std::optional<Error> m_error;
};

} // namespace riffle
