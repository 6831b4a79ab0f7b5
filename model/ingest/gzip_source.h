// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/mapped_file.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/gzip_reader.h"
#include "model/ingest/resume_index.h"

#include <vector>

namespace riffle {

class GzipText;

/// Reads a gzip file front to back and leaves a resume point every 8 MiB of text.
class GzipSource : public ByteSource {
public:
    GzipSource(std::shared_ptr<const MappedFile> file, const ByteSourceOptions &options);
    ~GzipSource() override;

    const char *container() const override { return "gzip"; }
    uint64_t fileBytes() const override { return m_file->size(); }
    Result<size_t> read(std::span<char> into) override;
    std::optional<Error> damage() const override;
    std::optional<Error> trailing() const override;
    uint64_t fileBytesRead() const override { return m_reader.filePosition(); }
    std::shared_ptr<const SourceText> text() const override;

private:
    Result<size_t> readPiece(std::span<char> piece);

    std::shared_ptr<const MappedFile> m_file;
    const uint64_t m_limit;
    GzipReader m_reader;
    std::shared_ptr<GzipText> m_text;
    uint64_t m_inflated = 0;
    std::vector<char> m_piece; ///< inflated but not yet requested: [m_pieceAt, m_pieceEnd)
    size_t m_pieceAt = 0;
    size_t m_pieceEnd = 0;
};

Result<std::shared_ptr<const SourceText>> openGzipText(std::shared_ptr<const MappedFile> file,
                                                       const ResumeIndex &index);

} // namespace riffle
