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

/// Why a file could not be used, for callers that answer differently (exit codes, a silent end after a cancel).
enum class ErrorKind : uint8_t {
    Unreadable,
    Limit,     ///< a limit that the user may set was exceeded
    Cancelled, ///< the task was stopped
    Changed,   ///< the file changed or shrank while it was used
    Question,  ///< nothing is wrong with a file: what was asked makes no sense
};

/// What went wrong with a file as a whole. One clear sentence; `file` and `offset` (bytes of source text) where known.
struct Error {
    std::string message;
    std::string file;
    std::optional<uint64_t> offset;
    ErrorKind kind = ErrorKind::Unreadable;

    std::string text() const
    {
        std::string out = file.empty() ? message : file + ": " + message;
        if (offset)
            out += " (at byte " + std::to_string(*offset) + ")";
        return out;
    }
};

/// A value or an Error; the return type of everything that can fail because of the outside world.
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::move(value)) {}
    Result(Error error) : m_state(std::move(error)) {}

    explicit operator bool() const { return std::holds_alternative<T>(m_state); }
    T &operator*() { return std::get<T>(m_state); }
    const T &operator*() const { return std::get<T>(m_state); }
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
    const Error &error() const { return *m_error; }

private:
    std::optional<Error> m_error;
};

} // namespace riffle
