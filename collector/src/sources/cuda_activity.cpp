// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/cuda_activity.h"

#include "collector/src/clock.h"

#include <algorithm>
#include <cstdlib>

namespace riffle::collector {

namespace {

constexpr size_t kBufferBytes = 4 << 20;
constexpr uint32_t kSystemThreadId = 1;
constexpr uint32_t kFlushForced = 1;
/// Before CUDA 12.9 CUPTI may crash when it is given no buffer.
constexpr uint32_t kMayRefuseFrom = 27;

std::atomic<CudaActivity *> g_activity{nullptr}; ///< whom CUPTI's callbacks mean

uint64_t monotonicStamp() { return static_cast<uint64_t>(now()); }

std::vector<uint32_t> kindsOf(Options::Preset preset)
{
    std::vector<uint32_t> kinds{cupti::kConcurrentKernel, cupti::kMemcpy, cupti::kMemset, cupti::kMemcpyPeer, cupti::kRuntime};
    if (preset != Options::Preset::Light)
        kinds.insert(kinds.end(), {cupti::kDriver, cupti::kSynchronization, cupti::kOverhead, cupti::kExternalCorrelation});
    return kinds;
}

void ignored(void *, uint32_t, uint32_t, const void *) {}

} // namespace

CudaActivity::Arming CudaActivity::arm(Options::Preset preset, size_t memoryLimit, std::string &said)
{
    std::scoped_lock lock(m_arming);
    if (isArmed())
        return Arming::Armed;
    if (!cudaDriverIsLoaded()) {
        said = "no CUDA driver in the process: no kernels are recorded";
        return Arming::Later;
    }
    if (m_library.path.empty() && !findCupti(m_library, said)) {
        m_library = {};
        return Arming::Later;
    }
    cupti::Functions &cupti = m_library.functions;
    const auto refused = [&](const std::string &why) {
        said = why;
        if (m_subscriber)
            cupti.unsubscribe(m_subscriber);
        m_subscriber = nullptr;
        return Arming::Refused;
    };
    // Whoever subscribed before is another profiler: to share would take its records away, or ours.
    if (const auto result = cupti.subscribe(&m_subscriber, ignored, nullptr); result != cupti::kSuccess) {
        m_subscriber = nullptr;
        return refused(result == cupti::kMultipleSubscribers
                           ? "another profiler holds CUPTI: no kernels are recorded"
                           : "CUPTI refuses (" + resultText(m_library, result) + "): no kernels are recorded");
    }
    if (cupti.setThreadIdType)
        cupti.setThreadIdType(kSystemThreadId);
    int64_t clockOffset = 0;
    if (!cupti.registerTimestamp || cupti.registerTimestamp(monotonicStamp) != cupti::kSuccess)
        clockOffset = nanoseconds(CLOCK_MONOTONIC) - nanoseconds(CLOCK_REALTIME); // CUPTI's own clock
    m_limit = std::max(memoryLimit / kBufferBytes, size_t{4});
    g_activity.store(this, std::memory_order_release);
    if (const auto result = cupti.registerCallbacks(requested, completed); result != cupti::kSuccess)
        return refused("CUPTI takes no buffers (" + resultText(m_library, result) + "): no kernels are recorded");
    m_enabled.clear();
    for (const uint32_t kind : kindsOf(preset))
        if (cupti.enable(kind) == cupti::kSuccess)
            m_enabled.push_back(kind);
    if (m_enabled.empty())
        return refused("CUPTI records nothing here: no kernels are recorded");
    m_decoder.use(&m_library, clockOffset);
    m_armed.store(true, std::memory_order_release);
    said = "CUPTI " + std::to_string(m_library.version) + " records";
    return Arming::Armed;
}

void CudaActivity::requested(uint8_t **buffer, size_t *size, size_t *maxRecords)
{
    *buffer = nullptr;
    *size = *maxRecords = 0;
    CudaActivity *self = g_activity.load(std::memory_order_acquire);
    if (!self)
        return;
    uint8_t *memory = nullptr;
    bool mayMake = false;
    {
        std::scoped_lock lock(self->m_buffers);
        if (!self->m_free.empty()) {
            memory = self->m_free.back();
            self->m_free.pop_back();
        } else {
            mayMake = self->m_made < self->m_limit || self->m_library.version < kMayRefuseFrom;
            self->m_made += mayMake;
        }
    }
    if (!memory && mayMake)
        memory = static_cast<uint8_t *>(std::aligned_alloc(64, kBufferBytes));
    if (!memory) {
        self->m_refused.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    *buffer = memory;
    *size = kBufferBytes;
}

void CudaActivity::completed(void *, uint32_t, uint8_t *buffer, size_t, size_t valid)
{
    CudaActivity *self = g_activity.load(std::memory_order_acquire);
    if (!self || !buffer)
        return;
    std::scoped_lock lock(self->m_buffers);
    self->m_completed.push_back({buffer, valid});
}

void CudaActivity::decodeCompleted(bool keep)
{
    std::vector<Buffer> completed;
    {
        std::scoped_lock lock(m_buffers);
        completed.swap(m_completed);
    }
    for (const Buffer &buffer : completed) {
        if (keep && buffer.valid > 0)
            m_decoder.decode(buffer.memory, buffer.valid);
        std::scoped_lock lock(m_buffers);
        if (m_made > m_limit) { // made because CUPTI cannot bear to get none
            std::free(buffer.memory);
            --m_made;
        } else {
            m_free.push_back(buffer.memory);
        }
    }
}

void CudaActivity::report()
{
    size_t dropped = 0;
    if (m_library.functions.droppedRecords && m_library.functions.droppedRecords(nullptr, 0, &dropped) == cupti::kSuccess)
        m_dropped += dropped;
    const int64_t time = now();
    const uint64_t lost = m_dropped + m_decoder.withoutTime();
    if (lost > m_reportedLoss)
        m_log.loss.row(m_lastReport, time, m_log.text("cupti"), lost - m_reportedLoss, m_lastReport, time - m_lastReport);
    m_reportedLoss = lost;
    m_lastReport = time;
}

void CudaActivity::collect(bool keep)
{
    if (!isArmed())
        return;
    if (m_lastReport == 0)
        m_lastReport = now();
    m_library.functions.flushAll(0); // never forced while kernels may run: a running one would come back without its end
    decodeCompleted(keep);
    report();
}

void CudaActivity::disarm()
{
    std::scoped_lock lock(m_arming);
    if (!isArmed())
        return;
    for (const uint32_t kind : m_enabled)
        m_library.functions.disable(kind);
    m_library.functions.flushAll(kFlushForced);
    m_library.functions.unsubscribe(m_subscriber);
    m_subscriber = nullptr;
    decodeCompleted(true);
    report();
    m_armed.store(false, std::memory_order_release);
}

} // namespace riffle::collector
