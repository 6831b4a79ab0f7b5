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

/// "13965.51 MB" into hundredths, which stay as they are when that is no size. More decimals than two are no size:
/// nothing is rounded.
PrintedTrouble parsePrinted(std::string_view text, PrintedSize &size);

/// Seconds as printed, rounded to ns; nothing when they are no number or too many.
std::optional<int64_t> secondsToNs(std::string_view text);

/// Counts a trouble, whose first place is kept.
void noteTrouble(std::vector<FileTrouble> &troubles, std::string_view what, uint64_t offset, uint64_t line);

} // namespace riffle
