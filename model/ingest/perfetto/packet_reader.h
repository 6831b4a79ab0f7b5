// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/byte_source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace riffle {

/// Cuts the text of a Perfetto trace into its packets. Memory grows with the bytes of a packet that are there, not with
/// the length that it claims.
class PacketReader {
public:
    /// A longer packet is skipped.
    static constexpr uint64_t kLongestPacket = 64ull << 20;

    explicit PacketReader(ByteSource &source);

    struct Packet {
        uint64_t offset = 0; ///< of the packet's tag in the text
        std::string_view bytes;
    };
    /// Returns the next packet, whose bytes are valid until the next call; nothing at the end, at damage, or if the
    /// source cannot be read (error()).
    std::optional<Packet> next();

    const std::optional<Error> &error() const { return m_error; }
    /// Why the text ends before the end of the file does, or inside a packet; null if it was read to its end.
    const char *damage() const { return m_damage; }
    uint64_t offset() const { return m_offset; }          ///< of the first byte that was not taken
    uint64_t skippedPackets() const { return m_skipped; } ///< packets beyond kLongestPacket

private:
    bool fill(size_t count);
    std::optional<uint64_t> varint(size_t &at);
    void take(size_t count);
    bool skip(uint64_t count);

    ByteSource &m_source;
    std::string m_buffer;    ///< of sources that are not in memory
    std::string_view m_text; ///< what is there and not taken
    uint64_t m_offset = 0;
    uint64_t m_skipped = 0;
    bool m_ended = false;
    const char *m_damage = nullptr;
    std::optional<Error> m_error;
};

} // namespace riffle
