// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_snapshot.h"

#include <string>
#include <string_view>

namespace riffle {

/// What of a snapshot is no column, as bytes: segments, devices, settings, marks, oddities.
std::string describeSnapshot(const MemorySnapshot &snapshot);
/// Reads it back; false when the bytes are not such.
bool readSnapshotDescription(std::string_view bytes, MemorySnapshot &snapshot);

} // namespace riffle
