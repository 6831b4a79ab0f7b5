// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace riffle::cli {

/// Adds `state` and `oom` to `memory`.
void addAllocatorCommands(CLI::App &memory, int &code);

} // namespace riffle::cli
