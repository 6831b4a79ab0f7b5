// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace riffle::cli {

/// The arguments of the program, and the name that it was called by: riffle, or its other name riffle-cli.
struct Call {
    std::string name;
    std::vector<std::string> words;

    static Call of(int argc, char **argv);
};

/// True if the call is for the window: its first word is a path or an address. A call of riffle is also for the window
/// if there is no word, or if the first one is an option of the window. `commands` are the names of our own commands.
bool isForWindow(const Call &call, const std::vector<std::string> &commands);

/// The path of the window's program; empty if it is not installed.
std::string windowProgram();

/// Becomes the window with the same arguments. Returns only if there is no window: prints how to install it, and
/// returns the exit code.
int becomeWindow(const Call &call, char **argv);

} // namespace riffle::cli
