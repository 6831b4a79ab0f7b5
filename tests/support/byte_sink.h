// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace riffle::test {

/// Collects text in one buffer and drains it in large pieces, so that traces of many GB are written at memory speed.
/// The caller owns the drain (a file, a string, a counter), which outlives the sink.
class ByteSink {
public:
    using Drain = std::function<bool(std::string_view)>;

    explicit ByteSink(Drain drain);
    ~ByteSink();
    ByteSink(const ByteSink &) = delete;
    ByteSink &operator=(const ByteSink &) = delete;

    static Drain toFile(std::FILE *file);
    static Drain toString(std::string &text);
    static Drain toNowhere();

    void text(std::string_view bytes)
    {
        if (bytes.size() > kCapacity - m_used) {
            spill(bytes);
            return;
        }
        std::memcpy(m_buffer.get() + m_used, bytes.data(), bytes.size());
        m_used += bytes.size();
    }

    void integer(std::int64_t value)
    {
        reserve(kNumberRoom);
        char *begin = m_buffer.get() + m_used;
        m_used += static_cast<std::size_t>(std::to_chars(begin, begin + kNumberRoom, value).ptr - begin);
    }

    /// Appends microseconds with exactly three decimals, as the profiler prints them.
    void micros(std::int64_t nanoseconds)
    {
        integer(nanoseconds / 1000);
        const auto rest = static_cast<int>(nanoseconds % 1000);
        const char decimals[4] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                                  static_cast<char>('0' + rest % 10)};
        text({decimals, 4});
    }

    void flush();
    std::uint64_t bytesWritten() const { return m_drained + m_used; }
    bool failed() const { return m_failed; }

private:
    static constexpr std::size_t kCapacity = std::size_t(1) << 20;
    static constexpr std::size_t kNumberRoom = 24;

    void reserve(std::size_t size)
    {
        if (size > kCapacity - m_used)
            flush();
    }
    void spill(std::string_view bytes);

    Drain m_drain;
    std::unique_ptr<char[]> m_buffer;
    std::size_t m_used = 0;
    std::uint64_t m_drained = 0;
    bool m_failed = false;
};

} // namespace riffle::test
