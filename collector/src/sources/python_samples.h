// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/loss_counter.h"
#include "collector/src/sources/python_runtime.h"
#include "collector/src/sources/python_sample_slices.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace riffle::collector {

/// A thread that looks at the Python frames of all other threads at regular times. It sleeps while nothing is recorded.
class PythonSamples {
public:
    /// Returns an error, empty on success.
    std::string start(PythonRuntime &python, int64_t intervalNs);
    /// Ends the thread and all slices. take() gives the last ones.
    void stop();
    bool isRunning() const { return m_thread.joinable(); }
    /// Any thread may call it. Slices that are open end when the recording does.
    void keep(bool records);

    struct Taken {
        std::vector<SampledSlice> ended; ///< since the last call
        std::vector<SampledSlice> open;
        Loss torn;                                    ///< samples of a thread that are left out, since the last call
        uint64_t samples = 0, allTorn = 0, moved = 0; ///< of a thread, since the start
    };
    Taken take();
    uint64_t usedNs() const { return m_usedNs; } ///< the processor time of the thread
    uint32_t osThread() const { return m_osThread; }

private:
    void run();
    void sampleUntilStopped();

    PythonRuntime *m_python = nullptr;
    int64_t m_intervalNs = 0;
    std::thread m_thread;
    std::atomic<bool> m_records{false};
    std::atomic<int64_t> m_pausedAt{0}; ///< when the recording paused first since the thread last looked; 0: it did not
    std::atomic<uint64_t> m_usedNs{0};
    std::atomic<uint32_t> m_osThread{0};
    std::mutex m_mutex; ///< guards what follows
    std::condition_variable m_wake;
    bool m_stopping = false;
    PythonSampleSlices m_slices{0};
    Taken m_taken;
    LossCounter m_torn;
};

} // namespace riffle::collector
