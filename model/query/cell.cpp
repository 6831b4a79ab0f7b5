// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/cell.h"

#include "model/base/decimal.h"
#include "model/trace/tables.h"

#include <sqlite3.h>
#include <string>

namespace riffle {

void Cell::integer(int64_t value)
{
    if (value == kNoInt)
        sqlite3_result_null(m_context);
    else
        sqlite3_result_int64(m_context, value);
}

void Cell::integer(int64_t bits, bool isUnsigned)
{
    if (isUnsigned && bits < 0)
        text(std::to_string(static_cast<uint64_t>(bits)));
    else
        integer(bits);
}

void Cell::real(double value)
{
    sqlite3_result_double(m_context, value); // SQLite turns NaN into NULL
}

void Cell::real(float value) { real(asWritten(value)); }

void Cell::lasting(std::string_view text)
{
    sqlite3_result_text64(m_context, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Cell::text(std::string_view text)
{
    sqlite3_result_text64(m_context, text.empty() ? "" : text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

} // namespace riffle
