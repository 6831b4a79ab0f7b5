// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// A word of a name, and the number behind it: "dp0", "DP-0", "dp_0".
struct NameWord {
    std::string text; ///< in small letters
    std::optional<uint32_t> number;
    bool isApart = false; ///< a separator is between the word and its number
    bool isPart = false;  ///< a digit is right before it, as in "2tp0"
    bool follows = false; ///< one separator is between it and the word before, which has no number
};

/// Returns the words of a name, which are its runs of ASCII letters. A number belongs to a word if at most one
/// separator is between, no letter follows it, and it is below 2^24.
std::vector<NameWord> wordsOf(std::string_view name);

/// A point in time that is written in a folder's name.
struct TimeInName {
    size_t begin = 0, end = 0; ///< where it is
};

/// Finds "Sep08_11-00-51", "20230908-110051", "2023-09-08_11-00-51" and the like between separators.
std::optional<TimeInName> timeInName(std::string_view name);
/// True for "2023-09-08" and for "11-00-51", which are two folders in each other.
bool isDateAlone(std::string_view name);
bool isTimeOfDayAlone(std::string_view name);

} // namespace riffle
