// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

struct sqlite3_context;

namespace riffle {

/// A cell of a row that SQLite requests. The column writes its value to it; a cell that is not written is NULL.
class Cell {
public:
    explicit Cell(sqlite3_context *context) : m_context(context) {}

    /// kNoInt is NULL.
    void integer(int64_t value);
    /// `bits` are those of a uint64 if `isUnsigned`. A value that does not fit an int64 is written as text, so that no
    /// digit is lost.
    void integer(int64_t bits, bool isUnsigned);
    /// NaN is NULL.
    void real(double value);
    /// Writes the decimal number of the source, not its binary approximation. NaN is NULL.
    void real(float value);
    /// Writes text that lives as long as the trace, such as its strings, without copying it.
    void lasting(std::string_view text);
    void text(std::string_view text);

private:
    sqlite3_context *m_context;
};

} // namespace riffle
