// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace riffle {

/// The kind of an error, for callers that react differently (exit codes, silence after a cancel).
enum class ErrorKind : uint8_t {
    Unreadable,
    Limit,     ///< a limit that the user can set was exceeded
    Cancelled, ///< the task was stopped
    Changed,   ///< the file changed or shrank while it was in use
    Question,  ///< the request is wrong, rather than a file
};

/// An error about a file as a whole or about a request. `message` is a whole sentence; `file` and `offset` (in bytes of
/// source text) are set where known.
struct Error {
    std::string message;
    std::string file;
    std::optional<uint64_t> offset;
    ErrorKind kind = ErrorKind::Unreadable;

    /// The same error, about this file.
    Error in(const std::string &path) const { return {message, path, offset, kind}; }

    /// Returns the message with file and offset: "trace.json: The text is cut off (at byte 512)."
    std::string text() const
    {
        std::string out = file.empty() ? message : file + ": " + message;
        if (offset)
            out.insert(out.size() - message.ends_with('.'), " (at byte " + std::to_string(*offset) + ")");
        return out;
    }
};

/// A value or an Error; the return type of every function that can fail for external reasons.
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::move(value)) {}
    Result(Error error) : m_state(std::move(error)) {}

    explicit operator bool() const { return std::holds_alternative<T>(m_state); }
    T &operator*()
    {
        assert(*this);
        return std::get<T>(m_state);
    }
    const T &operator*() const
    {
        assert(*this);
        return std::get<T>(m_state);
    }
    T *operator->() { return &std::get<T>(m_state); }
    const T *operator->() const { return &std::get<T>(m_state); }
    const Error &error() const { return std::get<Error>(m_state); }

private:
    std::variant<T, Error> m_state;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}

    explicit operator bool() const { return !m_error; }
    const Error &error() const
    {
        assert(m_error);
        return *m_error;
    }

private:
    std::optional<Error> m_error;
};

} // namespace riffle
