// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/zstd_reader.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <zstd_errors.h>

namespace riffle {

namespace {

/// Windows up to 1 GiB (zstd --long=30); by default, the decoder refuses windows beyond 128 MiB.
constexpr int kWindowLogMax = 30;
constexpr uint32_t kFrameMagic = 0xFD2FB528;
constexpr uint32_t kSkippableMagic = 0x184D2A50;
constexpr size_t kSkippableHeader = 8;

uint32_t littleEndian32(std::string_view bytes)
{
    uint32_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

bool isSkippable(std::string_view head)
{
    return head.size() >= 4 && (littleEndian32(head) & ~0xFu) == kSkippableMagic;
}

std::string reasonFor(size_t code)
{
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_checksum_wrong: return "The zstd checksum does not match: the text may be damaged.";
    case ZSTD_error_frameParameter_windowTooLarge: return "The zstd data needs a window of more than 1 GiB to inflate.";
    case ZSTD_error_dictionary_wrong: return "The zstd data was compressed with a dictionary that is not in the file.";
    default: return std::string("The zstd data is damaged (") + ZSTD_getErrorName(code) + ").";
    }
}

} // namespace

bool isZstdFrame(std::string_view head)
{
    return (head.size() >= 4 && littleEndian32(head) == kFrameMagic) || isSkippable(head);
}

ZstdReader::ZstdReader(std::shared_ptr<const MappedFile> file, uint64_t fileOffset)
    : m_file(std::move(file))
    , m_context(ZSTD_createDCtx())
    , m_position(std::min(fileOffset, m_file->size()))
{
    ZSTD_DCtx_setParameter(m_context.get(), ZSTD_d_windowLogMax, kWindowLogMax);
}

std::string_view ZstdReader::rest() const
{
    return {reinterpret_cast<const char *>(m_file->data()) + m_position,
            static_cast<size_t>(m_file->size() - m_position)};
}

void ZstdReader::end(std::string what)
{
    m_damage = std::move(what);
    m_inFrame = false;
}

std::optional<ZstdReader::Frame> ZstdReader::nextFrame()
{
    if (m_damage || m_trailing)
        return std::nullopt;
    for (std::string_view left = rest(); !left.empty(); left = rest()) {
        if (isSkippable(left)) {
            const uint64_t size = left.size() < kSkippableHeader
                                      ? UINT64_MAX
                                      : kSkippableHeader + uint64_t{littleEndian32(left.substr(4))};
            if (size > left.size()) {
                end("The zstd data ends early: the file is truncated.");
                return std::nullopt;
            }
            m_position += size;
            continue;
        }
        if (!isZstdFrame(left)) {
            if (std::all_of(left.begin(), left.end(), [](char byte) { return byte == 0; }))
                m_trailing = std::to_string(left.size()) + " zero bytes after the zstd data were ignored.";
            else
                end(std::to_string(left.size()) + " bytes after the zstd data are not zstd data and were ignored.");
            return std::nullopt;
        }
        Frame frame{m_position.load(), std::nullopt};
        const unsigned long long content = ZSTD_getFrameContentSize(left.data(), left.size());
        if (content != ZSTD_CONTENTSIZE_UNKNOWN && content != ZSTD_CONTENTSIZE_ERROR)
            frame.textBytes = content;
        m_wanted = ZSTD_initDStream(m_context.get());
        m_inFrame = true;
        return frame;
    }
    return std::nullopt;
}

void ZstdReader::freeDecoder()
{
    assert(!m_inFrame && (m_damage || m_trailing || rest().empty())); // there are no more frames
    m_context.reset();
}

size_t ZstdReader::inflate(std::span<char> out)
{
    ZSTD_outBuffer into{out.data(), out.size(), 0};
    while (m_inFrame && into.pos < into.size) {
        const std::string_view left = rest();
        // Decode one block at a time: an error then costs only that block, not everything that one call would have
        // returned.
        ZSTD_inBuffer from{left.data(), std::min(left.size(), m_wanted), 0};
        const size_t before = into.pos;
        const size_t wanted = ZSTD_decompressStream(m_context.get(), &into, &from);
        if (ZSTD_isError(wanted)) {
            end(reasonFor(wanted));
            break;
        }
        m_position += from.pos;
        m_wanted = wanted;
        if (wanted == 0)
            m_inFrame = false;
        else if (from.pos == 0 && into.pos == before)
            end("The zstd data ends early: the file is truncated.");
    }
    return into.pos;
}

} // namespace riffle
