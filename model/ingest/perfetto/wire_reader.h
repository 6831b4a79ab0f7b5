// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace riffle {

/// One field of a protobuf message.
struct WireField {
    enum class Type : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };
    uint32_t number = 0;
    Type type = Type::Varint;
    uint64_t value = 0;     ///< of varints and fixed-size fields: the bits
    std::string_view bytes; ///< of fields with a length

    int64_t signedValue() const { return static_cast<int64_t>(value); }
    double real() const; ///< the bits of a Fixed64 as a double
    bool isBytes() const { return type == Type::Bytes; }
    bool isVarint() const { return type == Type::Varint; }
};

/// Reads the fields of a protobuf message one after the other. Nothing is read outside the message, and a message that
/// is damaged ends at the damage. Fields that nobody asks for are skipped by their length.
class WireReader {
public:
    explicit WireReader(std::string_view message) : m_rest(message) {}
    /// Returns the next field; nothing at the end or at damage.
    std::optional<WireField> next();
    /// True if next() stopped at damage rather than at the end.
    bool broken() const { return m_broken; }

private:
    std::optional<WireField> stop();

    std::string_view m_rest;
    bool m_broken = false;
};

/// Takes a varint of at most ten bytes from the start of `rest`; nothing if it is cut off or longer.
std::optional<uint64_t> takeVarint(std::string_view &rest);

} // namespace riffle
