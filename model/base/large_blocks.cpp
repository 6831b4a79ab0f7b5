// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// operator new of every program that stands on this room. Columns that analyses make take tens of megabytes and are
// written once: on pages of 4 KiB a third of the time went to the kernel handing these out. Blocks that large ask for
// huge pages; whatever the machine is set to, they stay ordinary memory of malloc. Other systems than Linux keep their
// operator new, and so do the sanitizers, which watch over it.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define RIFFLE_SANITIZED
#endif
#endif
#if defined(__linux__) && !defined(RIFFLE_SANITIZED) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace {

constexpr std::size_t kHugePage = 2 << 20;
constexpr std::size_t kLarge = 4 * kHugePage;

void *allocated(std::size_t size)
{
    if (size < kLarge)
        return std::malloc(size ? size : 1);
    void *block = nullptr;
    if (::posix_memalign(&block, kHugePage, size) != 0)
        return nullptr;
    ::madvise(block, size, MADV_HUGEPAGE); // only a wish
    return block;
}

} // namespace

void *operator new(std::size_t size)
{
    for (;;) {
        if (void *block = allocated(size))
            return block;
        const std::new_handler handler = std::get_new_handler();
        if (!handler)
            throw std::bad_alloc();
        handler();
    }
}

void operator delete(void *block) noexcept { std::free(block); }
void operator delete(void *block, std::size_t) noexcept { std::free(block); }

#endif
