// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/memory/memory_instant.h"
#include "app/cli/memory/memory_kinds.h"
#include "model/analysis/memory/alive/memory_tree.h"
#include "model/layout/flame_svg.h"

#include <string>
#include <vector>

namespace riffle::cli {

/// The flame graph of grouped memory. The width of a frame is its bytes.
FlameGraph memoryFlame(MemoryTree tree, std::string title);

/// Writes the flame graphs of what is alive in snapshots at an instant, one per device, into one SVG file, or to stdout
/// if the name is "-". Returns the exit code.
int instantPicture(const std::vector<std::string> &paths, const MemoryQuestion &question,
                   const InstantQuestion &instant, const StoreUse &use);

} // namespace riffle::cli
