// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/big_vector.h"

#include "model/base/column_memory.h"

#include <mutex>
#include <sys/mman.h>
#include <unordered_map>

namespace riffle {

void *allocateBig(size_t bytes)
{
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return nullptr;
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

void freeBig(void *memory, size_t bytes) { munmap(memory, bytes); }

struct ScratchMemory::Blocks {
    std::mutex mutex;
    std::unordered_map<void *, std::shared_ptr<std::byte[]>> owners;
};

ScratchMemory::ScratchMemory(ColumnMemory &memory) : m_memory(memory), m_blocks(std::make_unique<Blocks>()) {}
ScratchMemory::~ScratchMemory() = default;

void *ScratchMemory::allocate(size_t bytes)
{
    auto block = m_memory.allocateAny(bytes);
    if (!block)
        return nullptr;
    void *memory = block.get();
    std::scoped_lock lock(m_blocks->mutex);
    m_blocks->owners.emplace(memory, std::move(block));
    return memory;
}

void ScratchMemory::free(void *memory)
{
    std::unique_lock lock(m_blocks->mutex);
    const auto freed = m_blocks->owners.extract(memory);
    lock.unlock();
}

} // namespace riffle
