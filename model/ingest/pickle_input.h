// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/byte_source.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// Why reading a pickle ended early. Thrown only inside the readers of pickles, where it becomes an Error, so that the
/// loop over opcodes has no results to check.
struct PickleFault {
    std::string message;
    uint64_t offset = 0;
    ErrorKind kind = ErrorKind::Unreadable;
};

/// The bytes of a pickle, seen through a moving window. An instruction without its variable data has at most kRoom
/// bytes, and a reader that is before check() can read that many without another check. Zeros follow the last byte of
/// the input.
class PickleInput {
public:
    static constexpr size_t kRoom = 16;

    explicit PickleInput(std::span<const char> whole);
    explicit PickleInput(ByteSource &source);

    const char *begin() const { return m_begin; }
    const char *check() const { return m_check; }
    const char *end() const { return m_end; }
    uint64_t offsetOf(const char *at) const { return m_offset + static_cast<uint64_t>(at - m_begin); }

    /// Call this when `at` has reached check(). Moves the window on if there are more bytes, and `at` with it; returns
    /// false if `at` is the end of the input.
    bool edge(const char *&at);
    /// Makes `count` bytes from `at` on available and keeps those from `keep` on; returns false if the input has fewer.
    /// Both pointers move with the window.
    bool have(const char *&keep, const char *&at, uint64_t count);

private:
    void read(const char *keep, uint64_t count);
    void endHere(const char *&at);

    ByteSource *m_source = nullptr;
    std::vector<char> m_buffer; ///< for a source that is not in memory
    const char *m_begin;
    const char *m_end;
    const char *m_check;
    uint64_t m_offset = 0; ///< position of m_begin in the pickle
    bool m_last = false;   ///< the window is m_tail, a copy of the last bytes
    char m_tail[4 * kRoom] = {};
};

} // namespace riffle
