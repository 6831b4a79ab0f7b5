// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/collector_log.h"

#include <zstd.h>

namespace riffle {

struct ChunkReader::Context {
    ZSTD_DCtx *decoder = ZSTD_createDCtx();
    Context() = default;
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;
    ~Context() { ZSTD_freeDCtx(decoder); }
};

ChunkReader::ChunkReader() : m_context(std::make_unique<Context>()) {}
ChunkReader::~ChunkReader() = default;

bool ChunkReader::inflate(const wire::ChunkHeader &header, std::string_view stored)
{
    if (!(header.flags & wire::kZstd)) {
        m_payload = stored;
        return header.rawBytes == header.storedBytes;
    }
    m_payload.resize(header.rawBytes);
    return ZSTD_decompressDCtx(m_context->decoder, m_payload.data(), m_payload.size(), stored.data(), stored.size()) ==
           header.rawBytes;
}

bool ChunkReader::read(const CollectorLog &log, ChunkPlace place)
{
    const LogChunk &chunk = log.chunk(place);
    const bool good =
        inflate(chunk.header, log.parts()[place.part]->stored(chunk)) && m_columns.decode(chunk.header, m_payload);
    if (!good)
        m_columns.decode({}, {});
    return good;
}

} // namespace riffle
