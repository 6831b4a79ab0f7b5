// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace riffle {

/// Serializes plain values into a byte string for storage in files. Values are written without padding.
class ByteWriter {
public:
    template <typename T>
    void put(T value)
    {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        m_bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
    }
    void putText(std::string_view text)
    {
        put<uint64_t>(text.size());
        m_bytes.append(text);
    }
    const std::string &bytes() const { return m_bytes; }
    std::string take() { return std::move(m_bytes); }

private:
    std::string m_bytes;
};

/// Reads what ByteWriter wrote. The bytes may be damaged: past their end, reads return zeros and ok() turns false.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : m_left(bytes) {}

    template <typename T>
    T get()
    {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        if constexpr (std::is_same_v<T, bool>) // a damaged byte is no bool
            return get<uint8_t>() != 0;
        T value{};
        const std::string_view raw = getBytes(sizeof value);
        if (raw.size() == sizeof value)
            std::memcpy(&value, raw.data(), sizeof value);
        return value;
    }
    std::string_view getText() { return getBytes(get<uint64_t>()); }
    /// Reads the number of elements that follow, each at least `elementBytes` bytes long. Returns 0 and fails if that
    /// many elements cannot fit into the remaining bytes, so a damaged count cannot cause a huge allocation.
    uint64_t getCount(uint64_t elementBytes)
    {
        assert(elementBytes > 0);
        const uint64_t count = get<uint64_t>();
        if (count > m_left.size() / elementBytes) {
            m_ok = false;
            return 0;
        }
        return count;
    }
    std::string_view getBytes(uint64_t count)
    {
        if (!m_ok || count > m_left.size()) {
            m_ok = false;
            return {};
        }
        const std::string_view taken = m_left.substr(0, static_cast<size_t>(count));
        m_left.remove_prefix(static_cast<size_t>(count));
        return taken;
    }
    bool ok() const { return m_ok; }
    std::string_view left() const { return m_left; }

private:
    std::string_view m_left;
    bool m_ok = true;
};

} // namespace riffle
