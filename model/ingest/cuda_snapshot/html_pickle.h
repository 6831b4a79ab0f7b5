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

/// Where the first pickle of a page that memory_viz wrote begins: the text of "base64" in its list of files. Nothing
/// when the page has none.
std::optional<uint64_t> findPickleInHtml(std::string_view html);

/// Names of the pickles that stand in the page behind the first one, whose text begins at `first`; of so many no more
/// that nobody would read them.
std::vector<std::string> otherPicklesInHtml(std::string_view html, uint64_t first);

/// The bytes that stand in base64 from `begin` on, up to what ends them.
class Base64Source : public ByteSource {
public:
    enum class Ends : uint8_t { Anywhere, AtQuote }; ///< AtQuote: what is neither base64 nor a quote is an error
    Base64Source(std::shared_ptr<const MappedFile> file, uint64_t begin, Ends ends = Ends::Anywhere);
    const char *container() const override { return "HTML"; }
    uint64_t fileBytes() const override { return m_file->size(); }
    Result<size_t> read(std::span<char> into) override;
    uint64_t fileBytesRead() const override { return m_at; }
    std::shared_ptr<const SourceText> text() const override { return nullptr; }
    /// Where in the file something stood that is no base64, once it was read to there.
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
