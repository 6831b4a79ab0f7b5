// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/loss_counter.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace riffle::collector {

/// Finds launches of kernels whose kernels have not been reported yet, so that the log can say up to when it is
/// complete. Calls and kernels may be reported in any order. Used by the drain thread.
class LaunchTracker {
public:
    struct Call {
        uint32_t correlation, thread;
        int64_t start, end;
        bool counts = true; ///< false during a pause, when a missing kernel is not missed
    };

    /// True for calls that launch exactly one kernel, unless a stream is being captured.
    static bool isLaunch(std::string_view call);

    /// To be called before the records of each buffer: the two calls of a launch may be in different ones.
    void bufferBegins();
    void launched(const Call &call);
    void ran(uint32_t correlation) { m_ran.push_back({correlation, 0}); }
    /// Everything that a thread launches between these two calls is captured into a graph and does not run. A capture
    /// whose other call has not been reported may belong to any launch on that side.
    void captureBegins(const Call &call) { addCapture(call.thread, call.start, true); }
    void captureEnds(const Call &call) { addCapture(call.thread, call.end, false); }

    /// Pairs what was reported. Returns the time up to which all kernels are known: `time`, or the start of the oldest
    /// launch without a kernel. A launch that has been without one for kLostAfter is added to `lost` and forgotten.
    int64_t settle(int64_t time, Loss &lost);
    void clear();

    static constexpr int64_t kLostAfter = 10'000'000'000; ///< ns

private:
    struct Launch : Call {
        uint32_t inner; ///< correlation of the driver's call inside a runtime call; the kernel has either
    };
    struct Ran {
        uint32_t correlation;
        int64_t since; ///< time of the first settle() that did not find its launch; 0 before
    };
    void addCapture(uint32_t thread, int64_t time, bool begins);
    bool isCaptured(int64_t time) const;
    void sortEdges();
    bool isKnownLaunch(const Launch &launch) const;

    static constexpr size_t kMostEdges = 4096;
    static constexpr size_t kMost = 1 << 18; ///< the most launches and kernels that wait for each other

    std::vector<Launch> m_launches;
    std::vector<Ran> m_ran; ///< kernels without a launch
    /// The first and the last launch of each thread in the buffers of the last seconds; in order while settle() runs.
    std::vector<Call> m_edges;
    std::unordered_map<uint32_t, Call> m_last; ///< the last one so far by thread, in the current buffer
    /// The captures by thread and time: true for the begin of a capture, false for its end.
    std::unordered_map<uint32_t, std::map<int64_t, bool>> m_captures;
};

} // namespace riffle::collector
