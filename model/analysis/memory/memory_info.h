// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"
#include "model/analysis/table/result_table.h"

#include <string>
#include <vector>

namespace riffle {

/// One row per device: entries, segments, the levels at the start, end and peak of the history, and problems in it.
ResultTable memoryDevices(const MemorySnapshot &snapshot, const MemoryReplay &replay);

/// One row per device and action: the number of entries and the sum of their sizes.
ResultTable memoryActions(const MemorySnapshot &snapshot, const MemoryReplay &replay);

/// Why a device has no events.
EmptyState missingHistory(const MemorySnapshot &snapshot);

/// Sentences about losses and problems: a full ring buffer, a truncated file, fields that could not be read.
std::vector<std::string> memoryRemarks(const MemorySnapshot &snapshot, const MemoryReplay &replay);

/// "device 0", "host"
std::string memoryDeviceName(const DeviceReplay &device);

} // namespace riffle
