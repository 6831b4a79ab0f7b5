// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/loss_counter.h"

#include <cstdint>
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
    };

    /// True for calls that launch exactly one kernel, unless a stream is being captured.
    static bool isLaunch(std::string_view call);

    void launched(const Call &call);
    void ran(uint32_t correlation) { m_ran.push_back({correlation, 0}); }
    /// What is launched between these two calls is captured into a graph and does not run.
    void captureBegins(const Call &call) { m_captures[call.thread] = call.start; }
    void captureEnds(const Call &call);

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
    static constexpr size_t kMost = 1 << 18; ///< the most launches and kernels that wait for each other

    std::vector<Launch> m_launches;
    std::vector<Ran> m_ran;                           ///< kernels without a launch
    std::unordered_map<uint32_t, int64_t> m_captures; ///< start by thread
};

} // namespace riffle::collector
