// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gzip_writer.h"

#include <algorithm>
#include <array>
#include <isa-l/igzip_lib.h>
#include <vector>

namespace riffle {

struct GzipWriter::State {
    isal_zstream stream;
    std::vector<uint8_t> level = std::vector<uint8_t>(ISAL_DEF_LVL1_DEFAULT);
    std::array<uint8_t, 256 << 10> out;
};

GzipWriter::GzipWriter(TextSink sink) : m_state(std::make_unique<State>()), m_sink(std::move(sink))
{
    isal_zstream &stream = m_state->stream;
    isal_deflate_init(&stream);
    stream.level = 1;
    stream.level_buf = m_state->level.data();
    stream.level_buf_size = static_cast<uint32_t>(m_state->level.size());
    stream.gzip_flag = IGZIP_GZIP;
}

GzipWriter::~GzipWriter() = default;

Result<void> GzipWriter::deflate(std::string_view text, bool last)
{
    isal_zstream &stream = m_state->stream;
    stream.next_in = const_cast<uint8_t *>(reinterpret_cast<const uint8_t *>(text.data()));
    stream.avail_in = static_cast<uint32_t>(text.size());
    stream.end_of_stream = last;
    do {
        stream.next_out = m_state->out.data();
        stream.avail_out = static_cast<uint32_t>(m_state->out.size());
        if (isal_deflate(&stream) != COMP_OK)
            return Error{"The text cannot be compressed.", {}, std::nullopt};
        const size_t made = m_state->out.size() - stream.avail_out;
        if (const Result<void> good = m_sink({reinterpret_cast<const char *>(m_state->out.data()), made}); !good)
            return good;
    } while (stream.avail_out == 0 || (last && stream.internal_state.state != ZSTATE_END));
    return {};
}

Result<void> GzipWriter::write(std::string_view text)
{
    constexpr size_t kAtOnce = 1 << 30; // because isa-l counts bytes in 32 bits
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), kAtOnce)))
        if (const Result<void> good = deflate(text.substr(0, kAtOnce), false); !good)
            return good;
    return {};
}

Result<void> GzipWriter::finish() { return deflate({}, true); }

} // namespace riffle
