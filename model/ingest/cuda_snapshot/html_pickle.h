// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/mapped_file.h"
#include "model/ingest/byte_source.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Returns the position of the first pickle in a page that memory_viz wrote, which is the value of "base64" in the list
/// of files. Returns nothing if the page has none.
std::optional<uint64_t> findPickleInHtml(std::string_view html);

/// Returns the names of the other pickles in the page, after the first one, whose text starts at `first`. The number of
/// names is limited to what a user would read.
std::vector<std::string> otherPicklesInHtml(std::string_view html, uint64_t first);

/// The bytes that are encoded in base64 from `begin` on, up to the end of the encoding.
class Base64Source : public ByteSource {
public:
    enum class Ends : uint8_t {
        Anywhere,
        AtQuote
    }; ///< AtQuote: anything other than base64 before the closing quote is an error
    Base64Source(std::shared_ptr<const MappedFile> file, uint64_t begin, Ends ends = Ends::Anywhere);
    const char *container() const override { return "HTML"; }
    uint64_t fileBytes() const override { return m_file->size(); }
    Result<size_t> read(std::span<char> into) override;
    uint64_t fileBytesRead() const override { return m_at; }
    std::shared_ptr<const SourceText> text() const override { return nullptr; }
    /// With AtQuote, the position in the file of the character that is not base64, once reading has reached it.
    std::optional<uint64_t> strayByte() const { return m_stray; }

private:
    std::shared_ptr<const MappedFile> m_file;
    uint64_t m_at;
    Ends m_ends;
    std::optional<uint64_t> m_stray;
    uint32_t m_bits = 0;
    int m_bitCount = 0;
};

} // namespace riffle
