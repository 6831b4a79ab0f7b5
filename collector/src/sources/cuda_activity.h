// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/options.h"
#include "collector/src/sources/cupti_buffers.h"
#include "collector/src/sources/cupti_decoder.h"

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace riffle::collector {

/// What happens on the GPU and the calls of CUDA, by CUPTI's activity interface. There is one per process, as there is
/// one CUPTI.
class CudaActivity {
public:
    CudaActivity(LogWriter &log, std::function<uint32_t(uint32_t)> threadOf)
        : m_decoder(log, std::move(threadOf))
        , m_log(log)
    {
    }

    enum class Arming : uint8_t { Armed, Later, Refused };
    /// When it is armed. driverStarts: from within cuInit(); guarded: the process yields before torch.profiler starts.
    struct Moment {
        bool driverStarts = false, guarded = false;
    };
    /// Begins recording if the process has CUDA and CUPTI and nobody else holds it. `said`: what to tell the user.
    /// Later: the process has no CUDA yet, or has to yield. Safe from any thread.
    Arming arm(const Options &options, Moment moment, std::string &said);
    bool isArmed() const { return m_armed.load(std::memory_order_acquire); }
    /// From now on it is not armed, until as many resume(). What is armed has to be disarmed then.
    void yield();
    /// Whether it may be armed again.
    bool resume();
    bool isYielding() const { return m_yields.load(std::memory_order_acquire) > 0; }

    /// From now on, what happens is kept, or not. `anew`: and nothing of before.
    void keep(bool on, bool anew = false);

    /// Asks CUPTI for what it has and turns what came into rows; the drain thread's. What is new to tell the user, else
    /// empty.
    std::string collect();
    /// Ends recording; what CUPTI still has becomes rows.
    void disarm();

    uint64_t records() const { return m_decoder.records(); }
    uint64_t lost() const { return m_dropped + m_decoder.withoutTime(); }

private:
    bool subscribe(std::string &why);
    std::string enable(const Options &options, bool driverStarts);
    size_t decodeCompleted();
    void report();
    std::string watchForOthers(size_t buffers);

    CuptiDecoder m_decoder;
    LogWriter &m_log;
    CuptiLibrary m_library;
    CuptiBuffers m_buffers;
    void *m_subscriber = nullptr;
    bool m_ownClock = false;
    std::vector<uint32_t> m_enabled;
    std::atomic<bool> m_armed{false};
    std::atomic<int> m_yields{0};
    std::mutex m_arming; ///< guards what is above

    std::mutex m_keeping; ///< guards the next
    std::vector<CuptiDecoder::Window> m_windows;

    // The drain thread's.
    uint64_t m_reportedLoss = 0, m_dropped = 0;
    int64_t m_lastReport = 0;
    int (*m_knock)(int *version) = nullptr; ///< a call of CUDA that CUPTI has to report, as long as it reports to us
    uint64_t m_answers = 0, m_refusedBefore = 0;
    int64_t m_lastKnock = 0, m_lastAnswer = 0;
    int m_unanswered = 0;
    bool m_taken = false; ///< another profiler has put its callbacks in the place of ours
};

} // namespace riffle::collector
