// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/trace/event_arguments.h"

#include <atomic>
#include <compare>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace riffle {

/// The place of an event's text in the source.
struct TextPlace {
    uint64_t offset = 0;
    uint32_t length = 0;
    auto operator<=>(const TextPlace &) const = default;
};

/// The text that a trace was read from, addressed by offset in inflated bytes regardless of the container (plain, gzip,
/// zstd), or by whatever number a source with typed arguments gives to its events. Implementations are thread-safe.
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
    /// The longest event whose arguments are read; longer ones are cut, and their arguments are those before the cut.
    static constexpr uint32_t kMostEventBytes = 16u << 20;
    /// Returns the arguments of the event at a place, or an Error like that of read().
    Result<EventArguments> arguments(TextPlace place) const;
    /// Returns the arguments as the text of a JSON object, as the file has it if it is JSON; empty if there are none.
    Result<std::string> argumentsObject(TextPlace place) const;
    /// True if arguments() reads no text. The text of each event must then be read alone: offsets do not count bytes.
    virtual bool hasTypedArguments() const { return false; }
    /// Returns an Error if a read() found that the file had changed, or if the file was cut after text was read from
    /// it. Ask after an answer that used text: its parts may have ignored texts that they could not read.
    std::optional<Error> failure() const;
    /// Returns the resume points, which allow reading from the middle of a compressed file. The store keeps them.
    virtual std::string resumeIndex() const { return {}; }

private:
    virtual Result<std::string> readText(uint64_t offset, uint32_t length) const = 0;
    /// Reads the event's text as JSON, unless the format knows its arguments without a text.
    virtual Result<EventArguments> readArguments(TextPlace place) const;
    /// Returns an Error if the file is now shorter than it was when it was opened.
    virtual std::optional<Error> cut() const { return std::nullopt; }
    template <typename Answer>
    Result<Answer> remembering(uint32_t length, auto readAnswer) const;
    void keepFailure(const Error &error) const; ///< the first Error stays

    mutable std::atomic<bool> m_wasRead{false};
    mutable std::atomic<bool> m_changed{false}; ///< m_failure is set and stays as it is
    mutable std::once_flag m_once;
    mutable Error m_failure;
};

} // namespace riffle
