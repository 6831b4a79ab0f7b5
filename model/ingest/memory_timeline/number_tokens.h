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

/// The text of a JSON document that is lists of numbers, piece by piece: no more of it than a window is in memory, so
/// that files of any size are read and of a cut one all that is there. The source lives longer.
class NumberTokens {
public:
    enum class Token : uint8_t {
        Open,  ///< [
        Close, ///< ]
        Comma,
        Number, ///< text() is it
        Other,  ///< any other value, skipped as a whole
        End,    ///< of the text
        Wrong,  ///< nothing that JSON knows
    };

    explicit NumberTokens(ByteSource &source);

    Token next();
    std::string_view text() const { return {m_number.data(), m_numberSize}; }
    uint64_t offset() const { return m_tokenOffset; } ///< where the last token begins
    uint64_t position() const { return m_offset + static_cast<uint64_t>(m_at - m_begin); } ///< behind it
    /// Why the source could not be read any further, where that is no end.
    const std::optional<Error> &failure() const { return m_failure; }

private:
    static constexpr int kEnd = -1;
    int peek();
    bool refill();
    void skipString();
    Token skipObject();

    ByteSource &m_source;
    std::vector<char> m_buffer; ///< of a source that is no memory
    const char *m_begin = nullptr, *m_at = nullptr, *m_end = nullptr;
    uint64_t m_offset = 0; ///< of m_begin
    uint64_t m_tokenOffset = 0;
    std::array<char, 48> m_number{};
    size_t m_numberSize = 0;
    std::optional<Error> m_failure;
};

} // namespace riffle
