// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/options.h"
#include "collector/src/sources/cupti_decoder.h"

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace riffle::collector {

/// Kernels, copies and CUDA calls by CUPTI's activity interface. There is one per process, as there is one CUPTI.
class CudaActivity {
public:
    CudaActivity(LogWriter &log, std::function<uint32_t(uint32_t)> threadOf) : m_decoder(log, std::move(threadOf)), m_log(log) {}

    enum class Arming : uint8_t { Armed, Later, Refused };
    /// Begins recording if the process has CUDA and CUPTI and nobody else holds it. `said`: what to tell the user. Later: the
    /// process has no CUDA yet. Safe from any thread, inside cuInit too.
    Arming arm(Options::Preset preset, size_t memoryLimit, std::string &said);
    bool isArmed() const { return m_armed.load(std::memory_order_acquire); }
    /// Asks CUPTI for what it has and turns what came into rows; the drain thread's. `keep`: false while paused.
    void collect(bool keep);
    /// Ends recording; what CUPTI still has becomes rows.
    void disarm();

    uint64_t records() const { return m_decoder.records(); }

private:
    struct Buffer {
        uint8_t *memory;
        size_t valid;
    };
    static void requested(uint8_t **buffer, size_t *size, size_t *maxRecords);
    static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
    void decodeCompleted(bool keep);
    void report();

    CuptiDecoder m_decoder;
    LogWriter &m_log;
    CuptiLibrary m_library;
    void *m_subscriber = nullptr;
    std::vector<uint32_t> m_enabled;
    std::atomic<bool> m_armed{false};
    std::mutex m_arming;

    std::mutex m_buffers; ///< guards the two; held for moments only, never across a call of CUPTI
    std::vector<Buffer> m_completed;
    std::vector<uint8_t *> m_free;
    size_t m_limit = 0;
    size_t m_made = 0;
    std::atomic<uint64_t> m_refused{0};
    uint64_t m_reportedLoss = 0, m_dropped = 0;
    int64_t m_lastReport = 0;
};

} // namespace riffle::collector
