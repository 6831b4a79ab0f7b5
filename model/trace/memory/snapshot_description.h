// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_snapshot.h"

#include <string>
#include <string_view>

namespace riffle {

/// Serializes everything in a snapshot that is not a column: segments, devices, settings, marks, oddities.
std::string describeSnapshot(const MemorySnapshot &snapshot);
/// Reads it back; false if the bytes are not a valid description.
bool readSnapshotDescription(std::string_view bytes, MemorySnapshot &snapshot);

} // namespace riffle
