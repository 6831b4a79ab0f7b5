// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace riffle::cli {

/// Writes out what was printed. Throws std::system_error when that cannot be done, as fmt::print does.
void flushOutput();
/// One line on stderr, whatever becomes of it.
void complain(const std::string &sentence);
/// The exit code for an exception that ended a command; says what happened. A reader that went away (a pipe into head) is
/// no news.
int endedBy(const std::exception &exception);

} // namespace riffle::cli
