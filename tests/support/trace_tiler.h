// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/byte_sink.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riffle::test {

/// Repeats the events of a real Kineto trace until a given size is reached. Every tile is one trace span (whole
/// microseconds) later than the one before and has its own ids, so that links stay unique. All other bytes stay as the
/// profiler wrote them. Header, closing metadata and footer occur once. Views the text, which the caller owns.
class TraceTiler {
public:
    explicit TraceTiler(std::string_view traceJson);

    /// False if the text contains no event array that can be repeated.
    bool isValid() const { return m_valid; }
    std::uint64_t tileBytes() const { return m_bodyEnd - m_bodyBegin; }
    /// The distance between two tiles in microseconds.
    std::int64_t tileSpan() const { return m_span; }

    /// The number of whole tiles that `targetBytes` need, at least one.
    std::uint64_t tilesFor(std::uint64_t targetBytes) const;
    void write(ByteSink &sink, std::uint64_t tiles) const;

private:
    enum class Shift : std::uint8_t { Time, Id };

    /// An integer in the text to which each tile adds its own offset.
    struct Patch {
        std::size_t offset = 0;
        std::uint8_t digits = 0;
        Shift shift = Shift::Time;
        std::int64_t value = 0;
    };

    struct Event;

    bool scan();
    std::size_t scanEvent(std::size_t begin, Event &event) const;
    void writeRange(ByteSink &sink, std::size_t begin, std::size_t end, const std::vector<Patch> &patches,
                    std::uint64_t tile) const;

    std::string_view m_text;
    bool m_valid = false;
    std::size_t m_bodyBegin = 0;
    std::size_t m_bodyEnd = 0;
    std::vector<Patch> m_patches;
    std::vector<Patch> m_tailPatches;
    std::int64_t m_span = 0;
    std::int64_t m_idSpan = 0;
};

} // namespace riffle::test
