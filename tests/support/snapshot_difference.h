// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_snapshot.h"

#include <string>

namespace riffle::test {

/// The first difference between two snapshots, other than how they were stored; empty if there is none.
std::string snapshotDifference(const MemorySnapshot &left, const MemorySnapshot &right);

/// Describes the first value of a snapshot that is out of bounds (the number of a row that does not exist, a column of
/// the wrong length); empty if there is none.
std::string snapshotProblem(const MemorySnapshot &snapshot);

} // namespace riffle::test
