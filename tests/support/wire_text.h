// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace riffle::test {

/// Protobuf, field by field.
inline std::string wireVarint(uint64_t value)
{
    std::string out;
    for (; value >= 0x80; value >>= 7)
        out += static_cast<char>(value | 0x80);
    return out += static_cast<char>(value);
}
inline std::string wireNumber(uint32_t field, uint64_t value) { return wireVarint(field << 3) + wireVarint(value); }
inline std::string wireBytes(uint32_t field, std::string_view bytes)
{
    return wireVarint(field << 3 | 2) + wireVarint(bytes.size()) + std::string(bytes);
}

/// A packet of a Perfetto trace with an event of a track: type 1 begins a slice, 2 ends one.
inline std::string perfettoEvent(uint64_t type, uint64_t time, uint64_t track, std::string_view more = {})
{
    const std::string event = wireNumber(9, type) + wireNumber(11, track) + std::string(more);
    return wireBytes(1, wireNumber(8, time) + wireNumber(10, 1) + wireBytes(11, event));
}
inline std::string perfettoThread(uint64_t track, uint64_t pid, uint64_t tid)
{
    return wireBytes(1, wireBytes(60, wireNumber(1, track) + wireBytes(4, wireNumber(1, pid) + wireNumber(2, tid))));
}

} // namespace riffle::test
