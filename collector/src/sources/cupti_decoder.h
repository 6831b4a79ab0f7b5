// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/log_writer.h"
#include "collector/src/sources/cupti_clock.h"
#include "collector/src/sources/cupti_library.h"
#include "collector/src/sources/launch_tracker.h"
#include "collector/src/sources/memory_totals.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace riffle::collector {

/// CUPTI's name for a kind of memory.
const char *memoryKindName(size_t kind);

/// Turns CUPTI's records into rows of a log. Used by the drain thread.
class CuptiDecoder {
public:
    /// `threadOf` returns the log's index of an OS thread; 0 for the collector's own threads, whose calls are left out.
    CuptiDecoder(LogWriter &log, std::function<uint32_t(uint32_t)> threadOf)
        : m_log(log)
        , m_threadOf(std::move(threadOf))
    {
    }

    /// Starts decoding records of this library.
    void use(const CuptiLibrary *library)
    {
        m_library = library;
        m_memory.clear();
        m_launches.clear();
        m_early.clear();
    }
    /// The clock of the records that are decoded next.
    CuptiClock &clock() { return m_clock; }
    /// Counts from 0 again, for a new log.
    void restart() { m_records = m_withoutTime = 0; }
    /// A span of time in which activity is recorded. Spans are needed because CUPTI's records arrive late.
    struct Window {
        int64_t begin, end; ///< ns of CLOCK_MONOTONIC
    };
    /// The windows are in order and do not overlap.
    void keepOnly(std::vector<Window> windows) { m_windows = std::move(windows); }
    /// Turns the records of a buffer that started inside a window into rows, and counts records of unknown kinds.
    void decode(uint8_t *buffer, size_t valid);
    /// Writes the allocations of the decoded buffers, which waited for the records of their calls, and what waited for
    /// the record of its context, or, if it is the `last` time, all that waits.
    void finish(bool last);

    LaunchTracker &launches() { return m_launches; }

    uint64_t records() const { return m_records; }
    /// The number of device records without a time, which CUPTI could not record because its device buffers were full.
    uint64_t withoutTime() const { return m_withoutTime; }
    uint64_t ownCalls() const { return m_ownCalls; } ///< calls made by the collector's threads

private:
    void record(const void *record);
    void kernel(const cupti::Kernel &kernel);
    void copy(const cupti::Memcpy &copy);
    void peerCopy(const cupti::MemcpyPeer &copy);
    void set(const cupti::Memset &set);
    void call(const cupti::Api &call);
    void synchronization(const cupti::Synchronization &sync);
    void overhead(const cupti::Overhead &overhead);
    void graph(const cupti::GraphTrace &graph);
    void memory(const cupti::Memory &memory);
    void pool(const cupti::MemoryPool &pool);
    void device(const cupti::Device &device);
    void context(const cupti::Context &context);
    void stream(const cupti::Stream &stream);
    void copyRow(uint32_t name, uint64_t start, uint64_t end, const auto &copy);
    bool isKept(uint64_t start, uint64_t end);
    bool isKept(int64_t time) const;
    int64_t time(uint64_t stamp) const { return m_clock.time(stamp); }
    void learn(uint32_t context, uint32_t device);
    void syncRow(const cupti::Synchronization &sync);
    void finishEarly(bool last);
    struct CallName {
        std::string text;
        bool ofMemory = false; ///< true if the call may allocate or free memory
        bool launches = false; ///< see LaunchTracker
        bool waits = false;    ///< see StepSummaries
        bool beginsCapture = false, endsCapture = false;
    };
    const CallName &callName(uint32_t domain, uint32_t callback);

    LogWriter &m_log;
    std::function<uint32_t(uint32_t)> m_threadOf;
    const CuptiLibrary *m_library = nullptr;
    CuptiClock m_clock;
    std::vector<Window> m_windows;
    std::unordered_map<uint64_t, CallName> m_callNames;
    struct KernelName {
        std::string mangled, plain;
        uint32_t id = 0, generation = 0; ///< the text's id, valid for this text generation of the log
        bool communicates = false;
    };
    const KernelName &kernelName(const char *mangled);
    /// Names by the address of the text in CUPTI, which may later hold another name.
    std::unordered_map<const char *, KernelName> m_kernelNames;
    struct RecentName {
        const char *mangled = nullptr;
        KernelName *name = nullptr;
    };
    std::array<RecentName, 256> m_recentNames{}; ///< a cache of m_kernelNames, indexed by bits of the address
    struct Allocation {
        int64_t time, address, bytes, device, context, stream;
        const char *name;
        uint32_t correlation;
        int64_t pool;
        MemoryTotals::Bytes totals;
    };
    std::vector<Allocation> m_allocations;             ///< waiting for the record of their call, which names the thread
    std::unordered_map<uint32_t, uint32_t> m_callers;  ///< thread by correlation, for calls that may allocate or free
    std::unordered_map<uint32_t, uint32_t> m_contexts; ///< device by context
    uint32_t m_lastContext = UINT32_MAX;               ///< the last one of a kernel or copy
    static constexpr size_t kMostEarly = 4096;
    /// Records whose context is in a buffer that has not come back yet; at most kMostEarly of each kind.
    struct Early {
        std::vector<cupti::Stream> streams;
        std::vector<cupti::Synchronization> syncs;
        void clear() { streams.clear(), syncs.clear(); }
    };
    Early m_early;
    MemoryTotals m_memory;
    LaunchTracker m_launches;
    uint64_t m_records = 0, m_withoutTime = 0, m_ownCalls = 0;
};

} // namespace riffle::collector
