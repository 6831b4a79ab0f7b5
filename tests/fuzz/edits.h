// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace riffle::test {

/// Returns a copy of `bytes` with changes, for formats that are too strict for random bytes. Each five bytes of `edits`
/// are one change: three bytes of position, the kind of change, and a value.
inline std::string edited(std::string bytes, std::span<const uint8_t> edits)
{
    for (size_t at = 0; at + 5 <= edits.size() && !bytes.empty(); at += 5) {
        const size_t position =
            (edits[at] | uint32_t(edits[at + 1]) << 8 | uint32_t(edits[at + 2]) << 16) % bytes.size();
        const uint8_t value = edits[at + 4];
        uint64_t word = 0;
        const size_t length = std::min<size_t>(sizeof word, bytes.size() - position);
        std::memcpy(&word, bytes.data() + position, length);
        switch (edits[at + 3] % 6) {
        case 0: bytes[position] = static_cast<char>(value); continue;
        case 1: word += static_cast<uint64_t>(int64_t(static_cast<int8_t>(value))); break;
        case 2: word = uint64_t(1) << value % 64; break;
        case 3: word = ~uint64_t(0) << value % 64; break;
        case 4: word = value; break;
        default: bytes.resize(bytes.size() - std::min<size_t>(bytes.size(), value)); continue;
        }
        std::memcpy(bytes.data() + position, &word, length);
    }
    return bytes;
}

} // namespace riffle::test
