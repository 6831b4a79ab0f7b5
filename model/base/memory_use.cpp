// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/memory_use.h"

#include <atomic>
#include <cassert>

namespace riffle {

namespace {
std::atomic<uint64_t> inUse{0};
}

uint64_t memoryInUse() { return inUse.load(std::memory_order_relaxed); }

void addMemoryInUse(uint64_t bytes) { inUse.fetch_add(bytes, std::memory_order_relaxed); }

void subtractMemoryInUse(uint64_t bytes)
{
    [[maybe_unused]] const uint64_t before = inUse.fetch_sub(bytes, std::memory_order_relaxed);
    assert(before >= bytes);
}

} // namespace riffle
