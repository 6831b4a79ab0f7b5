// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <exception>
#include <string>
#include <string_view>

namespace riffle::cli {

/// Writes out what was printed. Throws std::system_error when that cannot be done, as fmt::print does.
void flushOutput();
/// One line on stderr, whatever becomes of it.
void complain(const std::string &sentence);
/// The exit code for an exception that ended a command; says what happened. A reader that went away (a pipe into head)
/// is no news.
int endedBy(const std::exception &exception);

/// Writes to the standard output; whether that could be written is asked at the end.
Result<void> toStandardOutput(std::string_view text);

} // namespace riffle::cli
