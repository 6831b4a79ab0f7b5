// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>

#if defined(__has_feature) && __has_include(<sanitizer/allocator_interface.h>)
#if __has_feature(address_sanitizer)
#define RIFFLE_COUNTS_MEMORY 1
#include <sanitizer/allocator_interface.h>
#endif
#endif

namespace riffle::test {

/// Ends the program if reading an input takes more memory or processor time than its size allows. Make one before the
/// first call and let it live until the answer is dropped. Memory is counted only in the fuzz preset, as the sum of
/// all blocks that are allocated at the same time.
class Effort {
public:
    struct Most {
        uint64_t bytes;            ///< of memory, for any input
        uint64_t bytesPerByte = 0; ///< more for each byte of the input
        double seconds = 5;        ///< of processor time, for any input
        double secondsPerMegabyte = 0;
    };

    Effort(size_t inputBytes, const Most &most)
        : m_mostBytes(most.bytes + most.bytesPerByte * inputBytes)
        , m_mostSeconds(most.seconds + most.secondsPerMegabyte * static_cast<double>(inputBytes) / 1e6)
        , m_began(std::clock())
    {
        countMemory();
        s_held = 0;
        s_peak = 0;
    }
    ~Effort()
    {
        const double seconds = static_cast<double>(std::clock() - m_began) / CLOCKS_PER_SEC;
        if (s_peak > static_cast<int64_t>(m_mostBytes)) {
            std::fprintf(stderr, "reading took %lld bytes of memory; at most %llu are allowed for this input\n",
                         static_cast<long long>(s_peak), static_cast<unsigned long long>(m_mostBytes));
            std::abort();
        }
        if (seconds > m_mostSeconds) {
            std::fprintf(stderr, "reading took %.2f s; at most %.2f s are allowed for this input\n", seconds,
                         m_mostSeconds);
            std::abort();
        }
    }
    Effort(const Effort &) = delete;
    Effort &operator=(const Effort &) = delete;

private:
    static void countMemory()
    {
#ifdef RIFFLE_COUNTS_MEMORY
        static std::once_flag s_installed;
        std::call_once(s_installed, [] {
            __sanitizer_install_malloc_and_free_hooks(
                [](const volatile void *, size_t size) {
                    const int64_t held = s_held += static_cast<int64_t>(size);
                    int64_t peak = s_peak;
                    while (held > peak && !s_peak.compare_exchange_weak(peak, held)) {
                    }
                },
                [](const volatile void *block) {
                    if (block)
                        s_held -= static_cast<int64_t>(__sanitizer_get_allocated_size(const_cast<const void *>(block)));
                });
        });
#endif
    }

    static inline std::atomic<int64_t> s_held = 0, s_peak = 0;
    uint64_t m_mostBytes;
    double m_mostSeconds;
    std::clock_t m_began;
};

} // namespace riffle::test
