// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/memory/snapshot_opening.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace riffle::cli {

/// Adds `events` to `memory`.
void addMemoryEventsCommand(CLI::App &memory, const std::shared_ptr<StoreUse> &use, int &code);

} // namespace riffle::cli
