// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <exception>
#include <string>
#include <string_view>

namespace riffle::cli {

/// Flushes stdout. Throws std::system_error if that fails, as fmt::print does.
void flushOutput();
/// Prints a line to stderr and ignores errors.
void complain(const std::string &sentence);
/// Handles an exception that ended a command: prints the reason and returns the exit code. Prints nothing if the reader
/// of a pipe went away (as in "riffle-cli … | head").
int endedBy(const std::exception &exception);

/// Writes to stdout. Always succeeds, because flushOutput() reports errors at the end.
Result<void> toStandardOutput(std::string_view text);

} // namespace riffle::cli
