// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/zstd_writer.h"

#include <zstd.h>

#include <string>

namespace riffle {

namespace {
constexpr size_t kFrameBytes = 8 << 20; ///< bytes of text per frame
constexpr int kFileLevel = 3;
} // namespace

struct ZstdWriter::State {
    std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx *)> context{ZSTD_createCCtx(), ZSTD_freeCCtx};
    std::string text; ///< text of the next frame
    std::string frame = std::string(ZSTD_compressBound(kFrameBytes), '\0');
};

ZstdWriter::ZstdWriter(TextSink sink) : m_state(std::make_unique<State>()), m_sink(std::move(sink)) {}
ZstdWriter::~ZstdWriter() = default;

Result<void> ZstdWriter::writeFrame()
{
    std::string &text = m_state->text;
    const size_t bytes = ZSTD_compressCCtx(m_state->context.get(), m_state->frame.data(), m_state->frame.size(),
                                           text.data(), text.size(), kFileLevel);
    if (ZSTD_isError(bytes))
        return Error{"The text cannot be compressed.", {}, std::nullopt};
    text.clear();
    return m_sink({m_state->frame.data(), bytes});
}

Result<void> ZstdWriter::write(std::string_view text)
{
    while (!text.empty()) {
        const std::string_view piece = text.substr(0, kFrameBytes - m_state->text.size());
        m_state->text += piece;
        text.remove_prefix(piece.size());
        if (m_state->text.size() == kFrameBytes)
            if (const Result<void> good = writeFrame(); !good)
                return good;
    }
    return {};
}

Result<void> ZstdWriter::finish() { return m_state->text.empty() ? Result<void>() : writeFrame(); }

} // namespace riffle
