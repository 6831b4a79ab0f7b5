// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/chrome_json/event_record.h"

#include <array>
#include <cstdint>
#include <vector>

namespace riffle {

/// Reads events whose layout it has seen before. A writer repeats the text between two values (closing quote, comma,
/// line break, key, colon) byte for byte, so this class learns these texts as a tree and then only compares them, eight
/// bytes at a time; only the values remain to be scanned. It declines anything that it does not expect and leaves it to
/// StrictReader. The two agree on every event that this class accepts. One per worker.
class FastReader {
public:
    FastReader();

    /// Reads the event at `at` ('{'). The memory up to `limit` must be readable. Returns one past the event's '}', or
    /// null if the reader declines the event (unknown layout, escapes in names, damage, too close to the limit).
    const char *read(const char *at, const char *limit, EventRecord &record);

private:
    static constexpr size_t kWords = 8;
    static constexpr size_t kMaxSteps = 4096;
    static constexpr size_t kMaxBranches = 24;

    /// The text between two values, and the field of the value after it.
    struct Step {
        std::array<uint64_t, kWords> text{};
        std::array<uint64_t, kWords> mask{};
        uint8_t words = 0;
        uint8_t length = 0;
        bool inArgs = false;    ///< the value after this text is inside args
        bool opensArgs = false; ///< this text includes the '{' of args
        bool endsEvent = false; ///< no value follows: the event ends here
        EventField field;
        std::vector<uint32_t> next;
    };

    bool matches(const Step &step, const char *at) const;
    uint32_t follow(uint32_t from, const char *at, const char *limit);
    uint32_t learn(uint32_t from, const char *at, const char *limit);
    const char *readValue(const Step &step, const char *at, const char *limit, EventRecord &record);

    std::vector<Step> m_steps;
};

} // namespace riffle
