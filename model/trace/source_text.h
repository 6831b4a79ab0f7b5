// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <atomic>
#include <compare>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle {

/// The text that a trace was read from, addressed by offset in inflated bytes regardless of the container (plain, gzip,
/// zstd). Implementations are thread-safe.
class SourceText {
public:
    SourceText() = default;
    virtual ~SourceText() = default;
    SourceText(const SourceText &) = delete;
    SourceText &operator=(const SourceText &) = delete;

    /// Returns exactly `length` bytes at `offset`, or an Error (the file is missing or has changed, or the range is
    /// invalid). Once a read() or failure() saw that the file had changed, every later read returns
    /// that Error at once.
    Result<std::string> read(uint64_t offset, uint32_t length) const;
    /// Returns an Error if a read() found that the file had changed, or if the file was cut after text was read from
    /// it. Ask after an answer that used text: its parts may have ignored texts that they could not read.
    std::optional<Error> failure() const;
    /// Returns the resume points, which allow reading from the middle of a compressed file. The store keeps them.
    virtual std::string resumeIndex() const { return {}; }

private:
    virtual Result<std::string> readText(uint64_t offset, uint32_t length) const = 0;
    /// Returns an Error if the file is now shorter than it was when it was opened.
    virtual std::optional<Error> cut() const { return std::nullopt; }
    void keepFailure(const Error &error) const; ///< the first Error stays

    mutable std::atomic<bool> m_wasRead{false};
    mutable std::atomic<bool> m_changed{false}; ///< m_failure is set and stays as it is
    mutable std::once_flag m_once;
    mutable Error m_failure;
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
