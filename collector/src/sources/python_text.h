// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/python_layout.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace riffle::collector {

/// The types of the objects that are read; anything else is not.
struct PythonTypes {
    const void *code, *text, *bytes;
};

/// Writes a str as UTF-8 into the buffer, cut at a character if it does not fit, and returns what was written.
/// Surrogates become '?'. A str of a subclass, or in a form from before 3.12 that is not compact, becomes "?".
std::string_view pythonText(const PythonLayout &layout, const PythonTypes &types, const std::byte *text,
                            std::span<char> buffer);

/// The contents of a bytes object; empty if it is something else.
std::span<const std::byte> pythonBytes(const PythonTypes &types, const std::byte *bytes);

/// The characters of a compact str as they are in memory; empty if it is not one.
std::span<const std::byte> pythonCharacters(const PythonLayout &layout, const PythonTypes &types,
                                            const std::byte *text);

} // namespace riffle::collector
