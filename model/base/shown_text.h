// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace riffle {

/// Text from a file as a terminal may show it: nothing in it commands the terminal or turns what stands beside it
/// around. Control characters but the line feed, and bytes that are no UTF-8, become "\x1b", other lines' ends and the
/// characters that override a text's direction "\u202e". For people only: programs get what the file holds.
std::string shownText(std::string_view text);

} // namespace riffle
