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

/// The text a trace was read from, addressed by offset in inflated bytes whatever the container (plain, gzip, zstd).
/// Implementations may be called from any thread.
class SourceText {
public:
    virtual ~SourceText() = default;
    /// Exactly `length` bytes at `offset`, or an Error (file gone, changed, out of range).
    virtual Result<std::string> read(uint64_t offset, uint32_t length) const = 0;
    /// What is needed beside the file to read it again without starting at its front (resume points); kept in the
    /// store.
    virtual std::string resumeIndex() const { return {}; }
};

/// Where an event's text stands in the source.
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

/// The raw text of the event's `args` object, empty when it has none. Works on damaged events as far as it can.
std::string argsText(std::string_view eventText);
/// The entries of an object's raw text in their order.
std::vector<EventArgument> argumentsOf(std::string_view objectText);
/// A JSON string literal's raw text to plain text (unescaped); other values unchanged.
std::string plainText(std::string_view rawValue);

} // namespace riffle
