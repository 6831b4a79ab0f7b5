// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

struct sqlite3_context;

namespace riffle {

/// Where a column writes its value: one cell of a row that SQLite asks for. Nothing written is NULL.
class Cell {
public:
    explicit Cell(sqlite3_context *context) : m_context(context) {}

    /// kNoInt is NULL.
    void integer(int64_t value);
    /// The bits of a uint64 where `isUnsigned`; beyond 64 bits with a sign it is text, so that no digit is lost.
    void integer(int64_t bits, bool isUnsigned);
    /// NaN is NULL.
    void real(double value);
    /// The decimal number that the source had, not what is left of it in binary. NaN is NULL.
    void real(float value);
    /// Text that lives as long as the trace, like its strings: it is not copied.
    void lasting(std::string_view text);
    void text(std::string_view text);

private:
    sqlite3_context *m_context;
};

} // namespace riffle
