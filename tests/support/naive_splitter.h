// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace riffle::test {

/// The functions of the event splitter, implemented byte by byte without any search.

bool isEventStart(std::string_view text, size_t at);
size_t naiveEventStart(std::string_view text, size_t from);
size_t naiveLastEventStart(std::string_view text, size_t before);
size_t naiveListEnd(std::string_view text, size_t from);
/// The end of the object, array or string that starts at `at`; nothing if the text or `limit` bytes end first.
std::optional<size_t> naiveValueEnd(std::string_view text, size_t at, size_t limit);

} // namespace riffle::test
