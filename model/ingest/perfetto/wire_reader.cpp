// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/perfetto/wire_reader.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace riffle {

namespace {

constexpr size_t kMostVarintBytes = 10;

std::optional<uint64_t> takeFixed(std::string_view &rest, size_t bytes)
{
    if (rest.size() < bytes)
        return std::nullopt;
    uint64_t value = 0;
    for (size_t at = 0; at < bytes; ++at)
        value |= static_cast<uint64_t>(static_cast<unsigned char>(rest[at])) << (8 * at);
    rest.remove_prefix(bytes);
    return value;
}

} // namespace

double WireField::real() const { return std::bit_cast<double>(value); }

std::optional<uint64_t> takeVarint(std::string_view &rest)
{
    uint64_t value = 0;
    for (size_t at = 0; at < rest.size() && at < kMostVarintBytes; ++at) {
        const auto byte = static_cast<unsigned char>(rest[at]);
        value |= static_cast<uint64_t>(byte & 0x7F) << (7 * at);
        if (byte < 0x80) {
            rest.remove_prefix(at + 1);
            return value;
        }
    }
    return std::nullopt;
}

std::optional<WireField> WireReader::stop()
{
    m_broken = true;
    m_rest = {};
    return std::nullopt;
}

std::optional<WireField> WireReader::next()
{
    if (m_rest.empty())
        return std::nullopt;
    const std::optional<uint64_t> tag = takeVarint(m_rest);
    if (!tag || *tag >> 3 == 0 || *tag >> 3 > UINT32_MAX >> 3)
        return stop();
    WireField field;
    field.number = static_cast<uint32_t>(*tag >> 3);
    std::optional<uint64_t> value;
    switch (*tag & 7) {
    case 0: value = takeVarint(m_rest); break;
    case 1: value = takeFixed(m_rest, 8); break;
    case 2:
        value = takeVarint(m_rest);
        if (!value || *value > m_rest.size())
            return stop();
        field.bytes = m_rest.substr(0, static_cast<size_t>(*value));
        m_rest.remove_prefix(field.bytes.size());
        break;
    case 5: value = takeFixed(m_rest, 4); break;
    default: return stop(); // groups, which Perfetto never had
    }
    if (!value)
        return stop();
    field.type = static_cast<WireField::Type>(*tag & 7);
    field.value = *value;
    return field;
}

} // namespace riffle
