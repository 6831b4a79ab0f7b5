// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/mapped_file.h"
#include "model/ingest/byte_source.h"

#include <optional>
#include <string_view>

namespace riffle {

/// Where the first pickle of a page that memory_viz wrote begins: the text of "base64" in its list of files. Nothing when the
/// page has none.
std::optional<uint64_t> findPickleInHtml(std::string_view html);

/// The bytes that stand in base64 from `begin` on, up to the quote that ends them.
class Base64Source : public ByteSource {
public:
    Base64Source(std::shared_ptr<const MappedFile> file, uint64_t begin);
    const char *container() const override { return "HTML"; }
    uint64_t fileBytes() const override { return m_file->size(); }
    Result<size_t> read(std::span<char> into) override;
    uint64_t fileBytesRead() const override { return m_at; }
    std::shared_ptr<const SourceText> text() const override { return nullptr; }

private:
    std::shared_ptr<const MappedFile> m_file;
    uint64_t m_at;
    uint32_t m_bits = 0;
    int m_bitCount = 0;
};

} // namespace riffle
