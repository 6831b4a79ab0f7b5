// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/text_output.h"

#include "model/base/output_file.h"
#include "model/ingest/gzip_writer.h"
#include "model/ingest/zstd_writer.h"

namespace riffle {

struct TextOutput::State {
    explicit State(std::unique_ptr<OutputFile> opened, const std::string &path) : file(std::move(opened))
    {
        const auto bytes = [this](std::string_view some) { return file->write(some); };
        if (path.ends_with(".gz"))
            gzip = std::make_unique<GzipWriter>(bytes);
        else if (path.ends_with(".zst"))
            zstd = std::make_unique<ZstdWriter>(bytes);
    }

    std::unique_ptr<OutputFile> file;
    std::unique_ptr<GzipWriter> gzip;
    std::unique_ptr<ZstdWriter> zstd;
};

TextOutput::TextOutput(std::unique_ptr<State> state) : m_state(std::move(state)) {}
TextOutput::~TextOutput() = default;

Result<std::unique_ptr<TextOutput>> TextOutput::create(const std::string &path, const std::vector<std::string> &inputs)
{
    Result<std::unique_ptr<OutputFile>> file = OutputFile::create(path, inputs);
    if (!file)
        return file.error();
    return std::unique_ptr<TextOutput>(new TextOutput(std::make_unique<State>(std::move(*file), path)));
}

Result<void> TextOutput::write(std::string_view text)
{
    return m_state->gzip   ? m_state->gzip->write(text)
           : m_state->zstd ? m_state->zstd->write(text)
                           : m_state->file->write(text);
}

Result<void> TextOutput::place()
{
    const Result<void> finished = m_state->gzip   ? m_state->gzip->finish()
                                  : m_state->zstd ? m_state->zstd->finish()
                                                  : Result<void>();
    return finished ? m_state->file->place() : finished;
}

} // namespace riffle
