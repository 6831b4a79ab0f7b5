// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/gap_queue.h"
#include "collector/src/options.h"
#include "collector/src/sources/cupti_buffers.h"
#include "collector/src/sources/cupti_decoder.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace riffle::collector {

/// Records GPU activity and CUDA calls through CUPTI's activity interface. There is one per process, because there is
/// only one CUPTI.
class CudaActivity {
public:
    /// `gaps` learns when CUDA is not recorded although it was or later is.
    CudaActivity(LogWriter &log, GapQueue &gaps, std::function<uint32_t(uint32_t)> threadOf)
        : m_decoder(log, std::move(threadOf))
        , m_log(log)
        , m_gaps(gaps)
    {
    }

    enum class Arming : uint8_t { Armed, Later, Refused };
    /// The circumstances of a call of arm().
    struct Moment {
        bool driverStarts = false; ///< we are called from within cuInit()
        bool guarded = false;      ///< the process yields before torch.profiler starts
    };
    /// Starts recording if the process has CUDA and CUPTI and no other profiler holds CUPTI. `said` becomes the text
    /// for the user. Returns Later if the process has no CUDA yet or must yield. Safe from any thread.
    Arming arm(const Options &options, Moment moment, std::string &said);
    bool isArmed() const { return m_armed.load(std::memory_order_acquire); }
    /// Prevents arming until resume() has been called as many times. If CUPTI is armed, the caller must disarm it.
    void yield();
    /// Undoes one yield(); returns true if CUPTI may be armed again.
    bool resume();
    bool isYielding() const { return m_yields.load(std::memory_order_acquire) > 0; }

    /// Sets whether activity from now on is kept. `anew` starts a new log: nothing from before is kept or counted. The
    /// drain thread must not run then.
    void keep(bool on, bool anew = false);

    /// Asks CUPTI for its records and turns those that have arrived into rows. Only for the drain thread. Returns a new
    /// text for the user, or an empty one.
    std::string collect();
    /// Stops recording; the records that CUPTI still has become rows.
    void disarm();

    /// The time up to which everything is in the rows of the log, as of the last collect(); none if CUPTI does not
    /// record.
    std::optional<int64_t> settledUpTo() const { return m_settled; }
    uint64_t records() const { return m_decoder.records(); }
    uint64_t lost() const { return m_dropped + m_decoder.withoutTime() + m_missed; }

private:
    bool subscribe(std::string &why);
    std::string enable(const Options &options, bool driverStarts);
    size_t decodeCompleted(bool last);
    void readClock();
    void awaitBuffers();
    void report();
    void settle(int64_t time);
    void decodeLate();
    void countMissing(int64_t since);
    std::string watchForOthers(size_t buffers);

    CuptiDecoder m_decoder;
    LogWriter &m_log;
    GapQueue &m_gaps;
    CuptiLibrary m_library;
    CuptiBuffers m_buffers;
    void *m_subscriber = nullptr;
    bool m_ownClock = false;
    int64_t m_heldBack = 0; ///< since when a yield has prevented arming; 0 if it has not
    std::vector<uint32_t> m_enabled;
    std::atomic<bool> m_armed{false};
    std::atomic<int> m_yields{0};
    std::mutex m_arming; ///< guards the members above

    std::mutex m_keeping; ///< guards m_windows
    std::vector<CuptiDecoder::Window> m_windows;

    // Used by the drain thread only.
    uint64_t m_reportedLoss = 0, m_dropped = 0;
    uint64_t m_missing = 0; ///< kernels whose records never came
    uint64_t m_missed = 0;  ///< the losses that CUPTI does not report: such kernels, and buffers that never came back
    std::optional<int64_t> m_settled;
    int64_t m_lastReport = 0;
    /// A harmless CUDA call that CUPTI must report to us unless another profiler has taken over.
    int (*m_knock)(int *version) = nullptr;
    uint64_t m_answers = 0, m_refusedBefore = 0;
    int64_t m_lastKnock = 0, m_lastAnswer = 0;
    int m_unanswered = 0;
    bool m_taken = false; ///< another profiler has replaced our callbacks with its own
};

} // namespace riffle::collector
