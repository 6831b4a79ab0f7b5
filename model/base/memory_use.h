// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace riffle {

/// Returns the bytes of anonymous memory that the large arrays of this process take: columns in memory
/// (ColumnMemory) and big vectors. Mapped files, spilled columns and small objects do not count.
uint64_t memoryInUse();

/// For the allocators of large arrays: memory was taken.
void addMemoryInUse(uint64_t bytes);
/// For the allocators of large arrays: memory was given back.
void subtractMemoryInUse(uint64_t bytes);

} // namespace riffle
