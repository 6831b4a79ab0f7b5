// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_snapshot.h"

#include <string>

namespace riffle::test {

/// What differs first between two snapshots (not how they were stored), or nothing.
std::string snapshotDifference(const MemorySnapshot &left, const MemorySnapshot &right);

/// What is out of bounds in a snapshot: numbers of rows that do not exist, columns of other lengths; or nothing.
std::string snapshotProblem(const MemorySnapshot &snapshot);

} // namespace riffle::test
