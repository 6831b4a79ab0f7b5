// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/chunk_columns.h"

#include <cstring>
#include <limits>

namespace riffle {

namespace {

constexpr size_t kLongestVarint = 10;
constexpr uint64_t kContinuation = 0x8080808080808080ull;

uint64_t unzigzag(uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

/// Reads one varint of at most ten bytes; returns null if it is longer or the bytes end.
const uint8_t *readVarint(const uint8_t *at, const uint8_t *end, uint64_t &value)
{
    value = 0;
    for (unsigned shift = 0; at != end && shift < 64; shift += 7) {
        const uint64_t byte = *at++;
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80)
            return at;
    }
    return nullptr;
}

template <bool kDelta>
bool decodeAs(std::string_view bytes, std::span<int64_t> out)
{
    const auto *at = reinterpret_cast<const uint8_t *>(bytes.data());
    const uint8_t *const end = at + bytes.size();
    uint64_t last = 0;
    size_t row = 0;
    const auto put = [&](uint64_t raw) {
        last = kDelta ? last + unzigzag(raw) : unzigzag(raw);
        out[row++] = static_cast<int64_t>(last);
    };
    while (row < out.size()) {
        if (static_cast<size_t>(end - at) >= kLongestVarint) {
            // Most columns contain small numbers: decode eight one-byte values together.
            uint64_t eight = 0;
            std::memcpy(&eight, at, sizeof eight);
            if (!(eight & kContinuation) && out.size() - row >= 8) {
                for (unsigned shift = 0; shift < 64; shift += 8)
                    put(eight >> shift & 0x7F);
                at += 8;
                continue;
            }
            uint64_t raw = *at++;
            if (raw >= 0x80) {
                raw &= 0x7F;
                unsigned shift = 7;
                uint64_t byte = 0;
                do {
                    byte = *at++;
                    raw |= (byte & 0x7F) << shift;
                    shift += 7;
                } while (byte >= 0x80 && shift < 64);
                if (byte >= 0x80)
                    return false;
            }
            put(raw);
            continue;
        }
        uint64_t raw = 0;
        at = readVarint(at, end, raw);
        if (!at)
            return false;
        put(raw);
    }
    return at == end;
}

} // namespace

bool decodeVarints(std::string_view bytes, bool delta, std::span<int64_t> out)
{
    return delta ? decodeAs<true>(bytes, out) : decodeAs<false>(bytes, out);
}

bool ChunkColumns::decode(const wire::ChunkHeader &header, std::string_view payload)
{
    for (Slot &slot : m_slots)
        slot.state = State::Absent;
    m_texts = {};
    m_rows = header.columns ? header.rows : 0;
    bool good = m_rows <= payload.size(); // a value takes at least one byte
    for (uint32_t column = 0; good && column < header.columns; ++column) {
        wire::ColumnHeader head;
        good = payload.size() >= sizeof head;
        if (!good)
            break;
        std::memcpy(&head, payload.data(), sizeof head);
        payload.remove_prefix(sizeof head);
        good = head.bytes <= payload.size() && decodeColumn(head, payload.substr(0, head.bytes));
        if (good)
            payload.remove_prefix(head.bytes);
    }
    if (good)
        return true;
    for (Slot &slot : m_slots)
        slot.state = State::Absent;
    m_rows = 0;
    return false;
}

bool ChunkColumns::decodeColumn(const wire::ColumnHeader &header, std::string_view bytes)
{
    const auto field = static_cast<size_t>(header.field);
    if (field >= kFields)
        return true;
    Slot &slot = m_slots[field];
    switch (header.encoding) {
    case wire::Encoding::Delta:
    case wire::Encoding::Plain:
        if (bytes.size() < m_rows)
            return false;
        slot.ints.resize(m_rows);
        slot.state = State::Ints;
        return decodeVarints(bytes, header.encoding == wire::Encoding::Delta, slot.ints);
    case wire::Encoding::Doubles:
        slot.doubles = bytes;
        slot.state = State::Doubles;
        return bytes.size() == uint64_t{m_rows} * sizeof(double);
    case wire::Encoding::Texts:
        if (header.field == wire::Field::Text)
            m_texts = bytes;
        slot.state = State::Texts;
        return true;
    }
    return true;
}

double ChunkColumns::number(wire::Field field, uint32_t row) const
{
    const Slot &slot = m_slots[static_cast<size_t>(field)];
    double value = std::numeric_limits<double>::quiet_NaN();
    if (slot.state == State::Doubles)
        std::memcpy(&value, slot.doubles.data() + uint64_t{row} * sizeof value, sizeof value);
    else if (slot.state == State::Ints && slot.ints[row] != wire::kAbsent)
        value = static_cast<double>(slot.ints[row]);
    return value;
}

} // namespace riffle
