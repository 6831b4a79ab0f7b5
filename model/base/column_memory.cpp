// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/column_memory.h"

#include "model/base/memory_use.h"
#include "model/base/temporary_file.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace riffle {

namespace {

constexpr size_t kAlignment = 64;
/// Smaller blocks come from the heap: a separate mapping would cost more than it saves.
constexpr size_t kHeapBelow = 256 << 10;
constexpr uint64_t kKeptShare = 24;   ///< this part of the memory in use may wait for later blocks
constexpr size_t kHugeFrom = 2 << 20; ///< from this size on, huge pages save most page faults

size_t roundedUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

} // namespace

/// Shared by the allocator and all its blocks, so that a block can be freed after the allocator is gone.
struct ColumnMemory::State {
    const uint64_t limit;
    const std::string spillFolder;
    const Counts counts;
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    std::atomic<uint64_t> anonymous{0};
    std::atomic<uint64_t> spilled{0};
    std::mutex spillMutex; ///< guards the next two members
    int spillFile = -1;
    uint64_t spillEnd = 0;

    State(uint64_t anonymousLimit, std::string folder, Counts counted)
        : limit(anonymousLimit)
        , spillFolder(std::move(folder))
        , counts(counted)
    {
    }
    ~State()
    {
        dropKept();
        if (spillFile >= 0)
            ::close(spillFile);
    }

    /// Two threads that ask at the same time may together exceed a limit of the whole process, by one block each.
    bool reserveAnonymous(uint64_t bytes)
    {
        if (counts == Counts::AllInUse) {
            const uint64_t all = memoryInUse();
            if (bytes > limit || all > limit - bytes)
                return false;
            anonymous += bytes;
            addMemoryInUse(bytes);
            return true;
        }
        uint64_t used = anonymous.load();
        do {
            if (bytes > limit || used > limit - bytes)
                return false;
        } while (!anonymous.compare_exchange_weak(used, used + bytes));
        addMemoryInUse(bytes);
        return true;
    }

    void releaseAnonymous(uint64_t bytes)
    {
        assert(bytes <= anonymous.load());
        anonymous -= bytes;
        subtractMemoryInUse(bytes);
    }

    /// A part of a block that is one mapping for the kernel. Pages that were moved stay a mapping of their own, and
    /// only pages of one mapping can be moved together.
    struct Part {
        std::byte *begin;
        size_t bytes;
    };
    std::mutex keptMutex;
    std::vector<Part> kept; ///< the parts of blocks that were freed, for allocateAny(); they still count as in use
    uint64_t keptBytes = 0;
    bool keeps = true;

    /// About the size of the largest column of a trace: more would be kept in vain.
    uint64_t mostKept() const { return keeps ? anonymous.load() / kKeptShare : 0; }

    void keep(const std::vector<Part> &parts)
    {
        std::scoped_lock lock(keptMutex);
        for (const Part &part : parts) {
            if (keptBytes + part.bytes > mostKept()) {
                unmap(part);
                continue;
            }
            kept.push_back(part);
            keptBytes += part.bytes;
        }
    }

    void dropKept()
    {
        std::scoped_lock lock(keptMutex);
        for (const Part &part : kept)
            unmap(part);
        kept.clear();
        keptBytes = 0;
    }

    void unmap(const Part &part)
    {
        munmap(part.begin, part.bytes);
        releaseAnonymous(part.bytes);
    }

    /// Moves as many kept pages as fit to the front of \p memory, and returns the parts that \p memory then has.
    std::vector<Part> moveKeptTo(std::byte *memory, size_t bytes)
    {
        std::vector<Part> parts;
        size_t moved = 0;
#ifdef MREMAP_FIXED
        std::scoped_lock lock(keptMutex);
        while (!kept.empty() && moved < bytes) {
            Part &last = kept.back();
            assert(last.bytes > 0 && last.bytes % page == 0);
            const size_t count = std::min(last.bytes, bytes - moved);
            std::byte *from = last.begin + (last.bytes - count);
            if (mremap(from, count, count, MREMAP_MAYMOVE | MREMAP_FIXED, memory + moved) == MAP_FAILED)
                break;
            parts.push_back({memory + moved, count});
            moved += count;
            last.bytes -= count;
            if (last.bytes == 0)
                kept.pop_back();
        }
        assert(moved <= bytes && moved <= keptBytes && moved <= anonymous.load());
        keptBytes -= moved;
        releaseAnonymous(moved);
#endif
        if (moved < bytes)
            parts.push_back({memory + moved, bytes - moved});
        return parts;
    }

    bool openSpillFile()
    {
        if (spillFile < 0)
            spillFile = unlinkedFile(spillFolder);
        return spillFile >= 0;
    }
};

void dropPages(void *begin, void *end)
{
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + page - 1) / page * page;
    const uintptr_t last = reinterpret_cast<uintptr_t>(end) / page * page;
    if (first < last)
        madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED); // a hint that may be ignored
}

ColumnMemory::ColumnMemory(uint64_t anonymousLimit, std::string spillFolder, Counts counts)
    : m_state(std::make_shared<State>(anonymousLimit, std::move(spillFolder), counts))
{
}

uint64_t ColumnMemory::anonymousBytes() const { return m_state->anonymous.load(); }
uint64_t ColumnMemory::spilledBytes() const { return m_state->spilled.load(); }

void ColumnMemory::releaseKept()
{
    {
        std::scoped_lock lock(m_state->keptMutex);
        m_state->keeps = false;
    }
    m_state->dropKept();
}

std::shared_ptr<std::byte[]> ColumnMemory::allocateAny(size_t bytes)
{
    State &state = *m_state;
    if (bytes < kHeapBelow || bytes > SIZE_MAX / 2)
        return allocate(bytes);
    const size_t rounded = roundedUp(bytes, state.page);
    if (!state.reserveAnonymous(rounded)) {
        state.dropKept();
        if (!state.reserveAnonymous(rounded))
            return allocate(bytes);
    }
    void *memory = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        state.releaseAnonymous(rounded);
        return allocate(bytes);
    }
    if (rounded >= kHugeFrom)
        madvise(memory, rounded, MADV_HUGEPAGE);
    return {static_cast<std::byte *>(memory),
            [owner = m_state, parts = state.moveKeptTo(static_cast<std::byte *>(memory), rounded)](std::byte *) {
                owner->keep(parts);
            }};
}

std::shared_ptr<std::byte[]> ColumnMemory::allocate(size_t bytes)
{
    State &state = *m_state;
    if (bytes > SIZE_MAX / 2)
        return nullptr;
    const bool heap = bytes < kHeapBelow;
    const size_t rounded = roundedUp(std::max<size_t>(bytes, 1), heap ? kAlignment : state.page);

    if (state.reserveAnonymous(rounded)) {
        if (heap) {
            if (void *memory = std::aligned_alloc(kAlignment, rounded)) {
                std::memset(memory, 0, rounded);
                return {static_cast<std::byte *>(memory), [owner = m_state, rounded](std::byte *block) {
                            std::free(block);
                            owner->releaseAnonymous(rounded);
                        }};
            }
        } else {
            void *memory = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (memory != MAP_FAILED) {
                if (rounded >= kHugeFrom)
                    madvise(memory, rounded, MADV_HUGEPAGE);
                return {static_cast<std::byte *>(memory), [owner = m_state, rounded](std::byte *block) {
                            munmap(block, rounded);
                            owner->releaseAnonymous(rounded);
                        }};
            }
        }
        state.releaseAnonymous(rounded);
    }

    const size_t extent = roundedUp(std::max<size_t>(bytes, 1), state.page);
    std::scoped_lock lock(state.spillMutex);
    if (!state.openSpillFile())
        return nullptr;
    const uint64_t offset = state.spillEnd;
    // Reserve the disk space now: if the disk filled up later, a write to this memory would kill the process with
    // SIGBUS.
    if (extent > static_cast<uint64_t>(INT64_MAX) - offset ||
        posix_fallocate(state.spillFile, static_cast<off_t>(offset), static_cast<off_t>(extent)) != 0)
        return nullptr;
    void *memory =
        mmap(nullptr, extent, PROT_READ | PROT_WRITE, MAP_SHARED, state.spillFile, static_cast<off_t>(offset));
    if (memory == MAP_FAILED)
        return nullptr;
    state.spillEnd += extent;
    state.spilled += extent;
    return {static_cast<std::byte *>(memory), [owner = m_state, extent, offset](std::byte *block) {
                munmap(block, extent);
                // Freed extents are returned to the disk but not reused.
                [[maybe_unused]] const int punched =
                    fallocate(owner->spillFile, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                              static_cast<off_t>(extent));
                owner->spilled -= extent;
            }};
}

} // namespace riffle
