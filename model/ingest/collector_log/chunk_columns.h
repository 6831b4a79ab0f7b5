// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <riffle/wire.h>

#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The decoded columns of one chunk. Reuse the object for the next chunk, because it keeps its memory.
class ChunkColumns {
public:
    /// Decodes a payload. If the bytes do not match the header, returns false and has no rows. Skips unknown fields and
    /// encodings.
    bool decode(const wire::ChunkHeader &header, std::string_view payload);

    uint32_t rows() const { return m_rows; }
    /// Returns the values of an integer field; null if the chunk does not have it.
    const int64_t *ints(wire::Field field) const
    {
        assert(static_cast<size_t>(field) < kFields);
        const Slot &slot = m_slots[static_cast<size_t>(field)];
        assert(slot.state != State::Ints || slot.ints.size() == m_rows);
        return slot.state == State::Ints ? slot.ints.data() : nullptr;
    }
    int64_t value(wire::Field field, uint32_t row) const
    {
        const int64_t *values = ints(field);
        assert(!values || row < m_rows);
        return values ? values[row] : wire::kAbsent;
    }
    /// Returns NaN if the chunk does not have the field.
    double number(wire::Field field, uint32_t row) const;
    /// The bytes of all strings, as a view into the payload.
    std::string_view texts() const { return m_texts; }

private:
    static constexpr size_t kFields = static_cast<size_t>(wire::Field::Last) + 1;
    enum class State : uint8_t { Absent, Ints, Doubles, Texts };
    struct Slot {
        State state = State::Absent;
        std::vector<int64_t> ints;
        std::string_view doubles;
    };
    bool decodeColumn(const wire::ColumnHeader &header, std::string_view bytes);

    std::array<Slot, kFields> m_slots;
    std::string_view m_texts;
    uint32_t m_rows = 0;
};

/// Decodes `out.size()` zigzag varints, which must fill `bytes` exactly; returns false otherwise. With `delta`, each is
/// the difference from the previous value.
bool decodeVarints(std::string_view bytes, bool delta, std::span<int64_t> out);

} // namespace riffle
