// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_log.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace riffle {

enum class PrintedTrouble : uint8_t { None, NoSize, Impossible };

/// Parses "13965.51 MB" into hundredths of a MB; leaves `size` unchanged if the text is not a size. A text with more
/// than two decimals is not a size, because nothing is rounded.
PrintedTrouble parsePrinted(std::string_view text, PrintedSize &size);

/// Parses seconds as printed, rounded to ns; nothing if they are not a number or too large.
std::optional<int64_t> secondsToNs(std::string_view text);

/// Counts a problem and keeps the place where it first occurred.
void noteTrouble(std::vector<FileTrouble> &troubles, std::string_view what, uint64_t offset, uint64_t line);

} // namespace riffle
