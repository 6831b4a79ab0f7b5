// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/mapped_file.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/resume_index.h"
#include "model/ingest/zstd_reader.h"

namespace riffle {

class ZstdText;

/// Reads a zstd file front to back. Frames of up to 32 MiB of text are inflated again from their start when their text
/// is needed; larger ones (usually the whole file is one frame) are kept as blocks, see TextBlocks.
class ZstdSource : public ByteSource {
public:
    ZstdSource(std::shared_ptr<const MappedFile> file, const ByteSourceOptions &options);
    ~ZstdSource() override;

    const char *container() const override { return "zstd"; }
    uint64_t fileBytes() const override { return m_file->size(); }
    Result<size_t> read(std::span<char> into) override;
    std::optional<Error> damage() const override;
    std::optional<Error> trailing() const override;
    uint64_t fileBytesRead() const override { return m_reader.filePosition(); }
    std::shared_ptr<const SourceText> text() const override;

private:
    std::shared_ptr<const MappedFile> m_file;
    const uint64_t m_limit;
    ZstdReader m_reader;
    std::shared_ptr<ZstdText> m_text;
    uint64_t m_inflated = 0;
    bool m_large = false; ///< the text of the current frame is kept as blocks
};

Result<std::shared_ptr<const SourceText>> openZstdText(std::shared_ptr<const MappedFile> file,
                                                       const ResumeIndex &index);

} // namespace riffle
