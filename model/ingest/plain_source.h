// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/mapped_file.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/resume_index.h"

namespace riffle {

/// An uncompressed trace: the mapped file is its text.
class PlainSource : public ByteSource {
public:
    explicit PlainSource(std::shared_ptr<const MappedFile> file);

    const char *container() const override { return "plain"; }
    uint64_t fileBytes() const override { return m_file->size(); }
    std::optional<std::span<const char>> mapped() const override;
    Result<size_t> read(std::span<char> into) override;
    uint64_t fileBytesRead() const override { return m_position; }
    std::shared_ptr<const SourceText> text() const override;

private:
    std::shared_ptr<const MappedFile> m_file;
    uint64_t m_position = 0;
};

Result<std::shared_ptr<const SourceText>> openPlainText(std::shared_ptr<const MappedFile> file,
                                                        const ResumeIndex &index);

} // namespace riffle
