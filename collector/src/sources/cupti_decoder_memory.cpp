// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/cupti_decoder.h"

namespace riffle::collector {

namespace {

constexpr uint32_t kPageable = 1, kPinned = 2, kRelease = 2, kLocalPool = 1;

} // namespace

void CuptiDecoder::memory(const cupti::Memory &memory)
{
    const bool onHost = memory.memoryKind == kPageable || memory.memoryKind == kPinned;
    const bool released = memory.operation == kRelease, fromPool = memory.poolType == kLocalPool;
    const int64_t device = onHost ? wire::kAbsent : int64_t{memory.device};
    auto bytes = static_cast<int64_t>(memory.bytes);
    if (fromPool)
        m_memory.pool(device, memory.pool, static_cast<int64_t>(memory.poolSize),
                      static_cast<int64_t>(memory.poolUsed));
    else if (!released)
        m_memory.allocated(device, memory.address, bytes);
    else if (const int64_t freed = m_memory.freed(device, memory.address); bytes == 0)
        bytes = freed;
    if (!isKept(time(memory.time)))
        return;
    const auto known = [](uint32_t id) { return id == UINT32_MAX ? wire::kAbsent : int64_t{id}; };
    m_allocations.push_back({time(memory.time), static_cast<int64_t>(memory.address), released ? -bytes : bytes, device,
                             known(memory.context), known(memory.stream), memoryKindName(memory.memoryKind),
                             memory.correlation, fromPool ? static_cast<int64_t>(memory.pool) : wire::kAbsent,
                             m_memory.of(device)});
}

void CuptiDecoder::pool(const cupti::MemoryPool &pool)
{
    constexpr uint32_t kCreated = 1, kDestroyed = 2;
    const bool gone = pool.operation == kDestroyed;
    if (pool.poolType == kLocalPool)
        m_memory.pool(pool.device, pool.address, gone ? 0 : static_cast<int64_t>(pool.size),
                      gone ? 0 : static_cast<int64_t>(pool.used));
    if (!isKept(time(pool.time)))
        return;
    const auto address = static_cast<int64_t>(pool.address);
    const char *name = gone ? "Pool destroyed" : pool.operation == kCreated ? "Pool created" : "Pool trimmed";
    m_allocations.push_back({time(pool.time), address, 0, pool.device, wire::kAbsent, wire::kAbsent, name,
                             pool.correlation, address, m_memory.of(pool.device)});
}

void CuptiDecoder::finish(bool last)
{
    finishEarly(last);
    for (const Allocation &one : m_allocations) {
        const auto caller = m_callers.find(one.correlation);
        if (one.device != wire::kAbsent && one.totals.allocated != wire::kAbsent)
            m_log.summaries.allocates(one.device, one.time, one.totals.allocated);
        m_log.allocations.row(one.time, one.time, caller == m_callers.end() ? wire::kAbsent : int64_t{caller->second},
                              one.time, one.address, one.bytes, one.device, m_log.text(one.name), one.context,
                              one.stream, one.correlation, one.pool, one.totals.allocated, one.totals.reserved);
        if (m_log.isDue())
            m_log.flush();
    }
    m_allocations.clear();
    m_callers.clear();
}

/// Each thread of the program has a buffer of its own in CUDA 13, so records come back in any order.
void CuptiDecoder::finishEarly(bool last)
{
    Early early;
    std::swap(early, m_early);
    for (const cupti::Stream &stream : early.streams)
        this->stream(stream);
    for (const cupti::Synchronization &sync : early.syncs) {
        if (last || m_contexts.contains(sync.context))
            syncRow(sync);
        else
            m_early.syncs.push_back(sync);
    }
    if (last)
        m_early.clear();
}

/// Records the properties of a device under the names that Kineto uses for them.
void CuptiDecoder::device(const cupti::Device &device)
{
    const auto say = [&](const char *key, uint64_t value) { m_log.device(device.id, key, std::to_string(value)); };
    m_log.device(device.id, "name", device.name ? device.name : "?");
    say("totalGlobalMem", device.memoryBytes);
    say("computeMajor", device.major);
    say("computeMinor", device.minor);
    say("maxThreadsPerBlock", device.threadsPerBlock);
    say("maxThreadsPerMultiprocessor", uint64_t{device.warpsPerMultiprocessor} * device.threadsPerWarp);
    say("regsPerBlock", device.registersPerBlock);
    say("regsPerMultiprocessor", device.registersPerMultiprocessor);
    say("warpSize", device.threadsPerWarp);
    say("sharedMemPerBlock", device.sharedPerBlock);
    say("sharedMemPerMultiprocessor", device.sharedPerMultiprocessor);
    say("numSms", device.multiprocessors);
}

void CuptiDecoder::context(const cupti::Context &context)
{
    m_contexts[context.context] = context.device;
    m_log.device(context.device, "context " + std::to_string(context.context),
                 "null stream " + std::to_string(context.nullStream));
}

void CuptiDecoder::stream(const cupti::Stream &stream)
{
    const auto device = m_contexts.find(stream.context);
    if (device == m_contexts.end()) {
        if (m_early.streams.size() < kMostEarly)
            m_early.streams.push_back(stream);
        return;
    }
    m_log.device(device->second, "stream " + std::to_string(stream.stream),
                 "context " + std::to_string(stream.context) + ", priority " +
                     std::to_string(static_cast<int32_t>(stream.priority)));
}

} // namespace riffle::collector
