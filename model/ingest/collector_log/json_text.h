// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace riffle {

/// Appends the text as a JSON string literal. It has to be UTF-8 already.
void appendJsonString(std::string &out, std::string_view text);
/// How many bytes appendJsonString() adds.
size_t jsonStringBytes(std::string_view text);
/// Appends nanoseconds as microseconds with three digits behind the point: exact.
void appendMicroseconds(std::string &out, Ns time);
/// The same bytes when they are UTF-8, else with U+FFFD for each that is not.
std::string validUtf8(std::string_view text);
bool isUtf8(std::string_view text);
/// Whether the text is a JSON array of numbers and of such arrays, as shapes are written.
bool isNumberArray(std::string_view text);
/// Appends shapes as the value of an argument: as they stand when they are such an array, else as a string.
void appendShapes(std::string &out, std::string_view shapes);
/// The hash of that value, by which shapes are grouped; 0 for none.
uint64_t shapesHash(std::string_view shapes);

} // namespace riffle
