// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/perfetto/packet_reader.h"

#include <algorithm>
#include <span>

namespace riffle {

namespace {

constexpr size_t kPiece = 1 << 20;
constexpr uint64_t kPacketTag = 1 << 3 | 2; ///< Trace.packet

} // namespace

PacketReader::PacketReader(ByteSource &source) : m_source(source)
{
    if (const auto mapped = source.mapped()) {
        m_text = {mapped->data(), mapped->size()};
        m_ended = true;
    }
}

/// Makes at least `count` bytes available; returns false if the text is shorter.
bool PacketReader::fill(size_t count)
{
    while (m_text.size() < count && !m_ended) {
        m_buffer.erase(0, m_buffer.size() - m_text.size());
        const size_t have = m_buffer.size();
        const size_t wanted = std::max(kPiece, std::min(count, 2 * have) - std::min(count, have));
        m_buffer.resize(have + wanted);
        const Result<size_t> read = m_source.read(std::span(m_buffer).subspan(have));
        m_buffer.resize(have + (read ? *read : 0));
        m_text = m_buffer;
        if (!read)
            m_error = read.error();
        m_ended = !read || *read == 0;
    }
    return m_text.size() >= count;
}

void PacketReader::take(size_t count)
{
    m_text.remove_prefix(count);
    m_offset += count;
}

bool PacketReader::skip(uint64_t count)
{
    while (count > 0) {
        if (!fill(1))
            return false;
        const auto some = static_cast<size_t>(std::min<uint64_t>(count, m_text.size()));
        take(some);
        count -= some;
    }
    return true;
}

/// Reads a varint at `at` in the text and moves `at` behind it.
std::optional<uint64_t> PacketReader::varint(size_t &at)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (!fill(at + 1))
            return std::nullopt;
        const auto byte = static_cast<unsigned char>(m_text[at++]);
        value |= static_cast<uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
    m_damage = "A number in the file is longer than ten bytes.";
    return std::nullopt;
}

std::optional<PacketReader::Packet> PacketReader::next()
{
    constexpr const char *kCut = "The file ends inside a packet.";
    while (!m_error && !m_damage && fill(1)) {
        size_t at = 0;
        const std::optional<uint64_t> tag = varint(at);
        const std::optional<uint64_t> length = tag ? varint(at) : std::nullopt;
        if (!length) {
            m_damage = m_damage ? m_damage : kCut;
            break;
        }
        if ((*tag & 7) != 2) {
            m_damage = "There is something between two packets.";
            break;
        }
        const uint64_t offset = m_offset;
        if (*length > kLongestPacket || *tag != kPacketTag) {
            take(at);
            m_skipped += *tag == kPacketTag;
            if (!skip(*length))
                m_damage = kCut;
            continue;
        }
        const size_t end = at + static_cast<size_t>(*length);
        if (!fill(end)) {
            m_damage = kCut;
            break;
        }
        const std::string_view bytes = m_text.substr(at, static_cast<size_t>(*length));
        take(end);
        return Packet{offset, bytes};
    }
    return std::nullopt;
}

} // namespace riffle
