// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/perfetto/trace_converter.h"
#include "model/ingest/text_blocks.h"

#include <memory>
#include <string>

namespace riffle {

class ConvertedText;

/// A Perfetto trace as the text of a trace in Chrome JSON. The text is made while it is read, and kept as compressed
/// blocks, from which the texts of events are read again.
class PerfettoSource : public ByteSource {
public:
    /// The report receives the problems in the packets once the text has been read to its end.
    static Result<std::unique_ptr<ByteSource>> open(const std::string &path, const ByteSourceOptions &options,
                                                    uint64_t memoryLimit, const Task &task,
                                                    std::shared_ptr<ImportReport> report);
    ~PerfettoSource() override;

    const char *container() const override { return m_container; }
    uint64_t fileBytes() const override { return m_fileBytes; }
    Result<size_t> read(std::span<char> into) override;
    std::optional<Error> damage() const override;
    std::optional<Error> trailing() const override;
    uint64_t fileBytesRead() const override;
    std::shared_ptr<const SourceText> text() const override;

private:
    PerfettoSource(const std::string &path, const ByteSourceOptions &options, uint64_t memoryLimit, const Task &task,
                   std::shared_ptr<ImportReport> report);

    const std::string m_path;
    const uint64_t m_limit;
    TraceConverter m_converter;
    std::shared_ptr<ImportReport> m_report;
    std::shared_ptr<ConvertedText> m_text;
    const char *m_container = "plain";
    uint64_t m_fileBytes = 0;
    std::string m_ready; ///< text that was not read yet, from m_taken
    size_t m_taken = 0;
    uint64_t m_textBytes = 0;
};

} // namespace riffle
