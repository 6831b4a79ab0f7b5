// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/gpu_meter.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace riffle::collector {

/// Measures the process and the GPUs that it uses periodically, in a separate thread because a measurement may take
/// long.
class ProcessSamples {
public:
    void start(int64_t periodMs);
    /// Stops measuring; a thread that hangs in a driver call is left behind.
    void stop();
    /// The samples since the last call.
    std::vector<Sample> take();
    /// A text about the GPUs for the user; empty while there is nothing to say.
    std::string said() const;
    /// The OS thread id of the thread that measures; 0 while there is none.
    uint32_t osThread() const;
    /// The processor time of that thread in ns.
    uint64_t usedNs() const;

private:
    struct State;
    static void run(const std::shared_ptr<State> &state, int64_t periodMs);
    std::shared_ptr<State> m_state;
};

} // namespace riffle::collector
