// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"
#include "model/analysis/table/result_table.h"

#include <string>
#include <vector>

namespace riffle {

/// A row a device: entries, segments, levels at the history's begin, end and peak, and what is odd in the history.
ResultTable memoryDevices(const MemorySnapshot &snapshot, const MemoryReplay &replay);

/// A row a device and action: how many entries, and the sum of their sizes.
ResultTable memoryActions(const MemorySnapshot &snapshot, const MemoryReplay &replay);

/// Sentences about what was lost or odd: a full ring buffer, a cut file, fields that could not be read.
std::vector<std::string> memoryRemarks(const MemorySnapshot &snapshot, const MemoryReplay &replay);

/// "device 0", "host"
std::string memoryDeviceName(const DeviceReplay &device);

} // namespace riffle
