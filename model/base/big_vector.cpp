// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/big_vector.h"

#include "model/base/column_memory.h"
#include "model/base/memory_use.h"

#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <sys/mman.h>
#include <unordered_map>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define RIFFLE_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RIFFLE_SANITIZED
#endif

namespace riffle {

#ifdef RIFFLE_SANITIZED

void *allocateBig(size_t bytes)
{
    void *memory = std::malloc(bytes);
    if (memory)
        addMemoryInUse(bytes);
    return memory;
}

void freeBig(void *memory, size_t bytes)
{
    std::free(memory);
    subtractMemoryInUse(bytes);
}

#else

namespace {

/// The kernel aligns a mapping to huge pages only if its size is a multiple of them.
constexpr size_t kHugePage = 2 << 20;
size_t inHugePages(size_t bytes) { return (bytes + kHugePage - 1) / kHugePage * kHugePage; }

} // namespace

void *allocateBig(size_t bytes)
{
    if (bytes > SIZE_MAX - kHugePage)
        return nullptr;
    void *memory = mmap(nullptr, inHugePages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return nullptr;
#ifdef MADV_HUGEPAGE
    madvise(memory, inHugePages(bytes), MADV_HUGEPAGE); // a hint that may be ignored
#endif
    addMemoryInUse(inHugePages(bytes));
    return memory;
}

void freeBig(void *memory, size_t bytes)
{
    munmap(memory, inHugePages(bytes));
    subtractMemoryInUse(inHugePages(bytes));
}

#endif

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
    assert(!freed.empty()); // the block came from here and is freed once
    lock.unlock();
}

} // namespace riffle
