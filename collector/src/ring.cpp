// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/ring.h"

#include <cassert>
#include <new>
#include <sys/mman.h>

namespace riffle::collector {

Ring *Ring::create(size_t capacity)
{
    assert(capacity > 0 && (capacity & (capacity - 1)) == 0);
    void *memory = mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return nullptr;
    Ring *ring = new (std::nothrow) Ring;
    if (!ring) {
        munmap(memory, capacity);
        return nullptr;
    }
    ring->m_memory = static_cast<std::byte *>(memory);
    ring->m_capacity = capacity;
    return ring;
}

void Ring::destroy()
{
    munmap(m_memory, m_capacity);
    delete this;
}

} // namespace riffle::collector
