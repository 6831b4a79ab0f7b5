// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/byte_source.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace riffle {

/// The tokens of a JSON document that consists of lists of numbers. Only a window of the text is in memory, so files of
/// any size can be read, and files that are cut off can be read up to their end. The source must outlive this object.
class NumberTokens {
public:
    enum class Token : uint8_t {
        Open,  ///< [
        Close, ///< ]
        Comma,
        Number, ///< its text is text()
        Other,  ///< any other value, skipped as a whole
        End,    ///< the end of the text
        Wrong,  ///< not JSON
    };

    explicit NumberTokens(ByteSource &source);

    Token next();
    std::string_view text() const { return {m_number.data(), m_numberSize}; }
    uint64_t offset() const { return m_tokenOffset; } ///< where the last token starts
    uint64_t position() const { return m_offset + static_cast<uint64_t>(m_at - m_begin); } ///< just after it
    /// The Error that ended the reading; nothing if the source has simply ended.
    const std::optional<Error> &failure() const { return m_failure; }

private:
    static constexpr int kEnd = -1;
    int peek();
    bool refill();
    void skipString();
    Token skipObject();

    ByteSource &m_source;
    std::vector<char> m_buffer; ///< for a source that is not in memory
    const char *m_begin = nullptr, *m_at = nullptr, *m_end = nullptr;
    uint64_t m_offset = 0; ///< position of m_begin in the text
    uint64_t m_tokenOffset = 0;
    std::array<char, 48> m_number{};
    size_t m_numberSize = 0;
    std::optional<Error> m_failure;
};

} // namespace riffle
