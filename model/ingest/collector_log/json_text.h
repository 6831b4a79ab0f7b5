// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace riffle {

/// Appends nanoseconds as microseconds with three decimals, which is exact.
void appendMicroseconds(std::string &out, Ns time);
/// True if the text is a JSON array of whole numbers and nested arrays, the form in which shapes are written.
bool isNumberArray(std::string_view text);
/// Appends shapes as the value of an argument: unchanged if they are a number array, otherwise as a string.
void appendShapes(std::string &out, std::string_view shapes);
/// Returns the hash of the value that appendShapes() writes, by which shapes are grouped; 0 if there are no shapes.
uint64_t shapesHash(std::string_view shapes);
/// True if the text is a JSON array of strings without escapes, the form in which types and values of inputs are
/// written.
bool isTextArray(std::string_view text);
/// Appends such a list as the value of an argument: unchanged if it is an array of strings, otherwise as a string.
void appendTextList(std::string &out, std::string_view list);
/// Returns the hash of the value that appendTextList() writes; 0 if there is no list.
uint64_t textListHash(std::string_view list);

} // namespace riffle
