// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace riffle::collector {

/// The formats of a code object's table of lines: pairs of bytes in 3.10, places with columns from 3.11 on.
enum class PythonLineFormat : uint8_t { Pairs, Places };

/// The source line of the instruction at the offset; 0 if it has none. A table that is cut or damaged gives the line
/// that was reached.
int32_t pythonLine(PythonLineFormat format, std::span<const std::byte> table, int32_t firstLine, uint32_t offset);

} // namespace riffle::collector
