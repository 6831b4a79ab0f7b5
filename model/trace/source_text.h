// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle {

/// The text that a trace was read from, addressed by offset in inflated bytes regardless of the container (plain, gzip,
/// zstd). Implementations are thread-safe.
class SourceText {
public:
    virtual ~SourceText() = default;
    /// Returns exactly `length` bytes at `offset`, or an Error (the file is missing or has changed, or the range is
    /// invalid).
    virtual Result<std::string> read(uint64_t offset, uint32_t length) const = 0;
    /// Returns the resume points, which allow reading from the middle of a compressed file. The store keeps them.
    virtual std::string resumeIndex() const { return {}; }
};

/// The place of an event's text in the source.
struct TextPlace {
    uint64_t offset = 0;
    uint32_t length = 0;
    auto operator<=>(const TextPlace &) const = default;
};

/// One argument of an event: its key (unescaped) and the raw text of its value, byte for byte.
struct EventArgument {
    std::string key;
    std::string value;
};

/// Returns the raw text of an event's `args` object; empty if it has none. Works on damaged events as far as possible.
std::string argsText(std::string_view eventText);
/// Returns the entries of an object's raw text, in order.
std::vector<EventArgument> argumentsOf(std::string_view objectText);
/// Converts the raw text of a JSON string literal to plain text (unescaped); returns other values unchanged.
std::string plainText(std::string_view rawValue);

} // namespace riffle
