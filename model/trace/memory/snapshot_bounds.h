// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_snapshot.h"

namespace riffle {

/// True if every column has one cell per row and every row number in the snapshot exists. Readers of a snapshot rely on
/// both, so a snapshot from a stored copy must be checked.
bool isWithinBounds(const MemorySnapshot &snapshot);

} // namespace riffle
