// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gzip_reader.h"

#include <algorithm>
#include <cstring>
#include <vector>
#include <zstd.h>

namespace riffle {

namespace {

/// The bytes that one call of isa-l may read or write: it counts them in 32 bits.
constexpr uint64_t kMostAtOnce = 1u << 30;

const char *reasonFor(int code)
{
    switch (code) {
    case ISAL_INCORRECT_CHECKSUM: return "The gzip checksum does not match: the text may be damaged.";
    case ISAL_INVALID_WRAPPER:
    case ISAL_UNSUPPORTED_METHOD: return "A gzip header is damaged.";
    default: return "The gzip data is damaged.";
    }
}

} // namespace

/// The context and buffers for compressing states, kept from one point to the next.
struct GzipReader::Scratch {
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    inflate_state plain;
    std::vector<char> packed = std::vector<char>(ZSTD_compressBound(sizeof(inflate_state)));
    ~Scratch() { ZSTD_freeCCtx(compressor); }
};

GzipReader::GzipReader(std::shared_ptr<const MappedFile> file)
    : m_file(std::move(file))
    , m_state(std::make_unique<inflate_state>())
{
    startMember();
}

GzipReader::~GzipReader() = default;

void GzipReader::startMember()
{
    // Clear the whole state, so that resume points contain the same bytes in every run.
    std::memset(m_state.get(), 0, sizeof *m_state);
    isal_inflate_init(m_state.get());
    m_state->crc_flag = ISAL_GZIP;
}

bool GzipReader::nextMember()
{
    const auto rest = m_file->bytes().subspan(static_cast<size_t>(m_position));
    if (rest.empty()) {
        m_ended = true;
        return false;
    }
    if (rest.size() >= 2 && rest[0] == std::byte{0x1F} && rest[1] == std::byte{0x8B}) {
        startMember();
        return true;
    }
    m_ended = true;
    const bool zeros = std::all_of(rest.begin(), rest.end(), [](std::byte byte) { return byte == std::byte{0}; });
    if (zeros)
        m_trailing = std::to_string(rest.size()) + " zero bytes after the gzip data were ignored.";
    else
        m_damage = std::to_string(rest.size()) + " bytes after the gzip data are not gzip data and were ignored.";
    return false;
}

void GzipReader::endDamaged(std::string what)
{
    m_damaged = true;
    m_damage = std::move(what);
}

size_t GzipReader::takeRest(std::span<char> out)
{
    inflate_state &state = *m_state;
    const auto room = static_cast<int32_t>(sizeof state.tmp_out_buffer);
    const int32_t end = std::clamp(state.tmp_out_valid, 0, room);
    const int32_t begin = std::clamp(state.tmp_out_processed, 0, end);
    const size_t count = std::min<size_t>(out.size(), static_cast<size_t>(end - begin));
    std::memcpy(out.data(), state.tmp_out_buffer + begin, count);
    state.tmp_out_processed = begin + static_cast<int32_t>(count);
    m_ended = state.tmp_out_processed == end;
    return count;
}

size_t GzipReader::inflate(std::span<char> out)
{
    inflate_state &state = *m_state;
    size_t done = 0;
    while (done < out.size() && !m_ended) {
        if (m_damaged) {
            done += takeRest(out.subspan(done));
            continue;
        }
        if (state.block_state == ISAL_BLOCK_FINISH && !nextMember())
            break;
        const uint64_t given = std::min(m_file->size() - m_position, kMostAtOnce);
        const uint64_t room = std::min<uint64_t>(out.size() - done, kMostAtOnce);
        state.next_in = const_cast<uint8_t *>(reinterpret_cast<const uint8_t *>(m_file->data())) + m_position;
        state.avail_in = static_cast<uint32_t>(given);
        state.next_out = reinterpret_cast<uint8_t *>(out.data()) + done;
        state.avail_out = static_cast<uint32_t>(room);
        const int code = isal_inflate(&state);
        const uint64_t consumed = given - state.avail_in;
        const uint64_t produced = room - state.avail_out;
        m_position += consumed;
        done += static_cast<size_t>(produced);
        if (code < 0)
            endDamaged(reasonFor(code));
        else if (consumed == 0 && produced == 0 && state.block_state != ISAL_BLOCK_FINISH)
            endDamaged("The gzip data ends early: the file is truncated.");
    }
    return done;
}

GzipReader::Point GzipReader::point() const
{
    if (!m_scratch)
        m_scratch = std::make_unique<Scratch>();
    inflate_state &plain = m_scratch->plain;
    std::memcpy(&plain, m_state.get(), sizeof plain);
    plain.next_in = plain.next_out = nullptr;
    plain.avail_in = plain.avail_out = 0;
    const auto valid = static_cast<size_t>(std::clamp<int32_t>(plain.tmp_out_valid, 0, sizeof plain.tmp_out_buffer));
    std::memset(plain.tmp_out_buffer + valid, 0, sizeof plain.tmp_out_buffer - valid);
    const size_t size = ZSTD_compressCCtx(m_scratch->compressor, m_scratch->packed.data(), m_scratch->packed.size(),
                                          &plain, sizeof plain, 1);
    if (ZSTD_isError(size))
        return {m_position.load(), {}};
    return {m_position.load(), std::string(m_scratch->packed.data(), size)};
}

bool GzipReader::resume(uint64_t fileOffset, std::string_view state)
{
    if (fileOffset > m_file->size())
        return false;
    if (ZSTD_decompress(m_state.get(), sizeof *m_state, state.data(), state.size()) != sizeof *m_state)
        return false;
    m_position = fileOffset;
    m_damaged = m_ended = false;
    return true;
}

} // namespace riffle
