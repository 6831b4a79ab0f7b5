// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/gpu_meter.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace riffle::collector {

/// Measures the process and the GPUs that it uses, again and again, in a thread of its own: what it asks may take long.
class ProcessSamples {
public:
    void start(int64_t periodMs);
    /// Ends the measuring; a call that hangs in a driver is left to itself.
    void stop();
    /// What was measured since the last call.
    std::vector<Sample> take();
    /// What to tell the user of the GPUs, empty while there is nothing to say.
    std::string said() const;
    /// The thread that measures; 0 while there is none.
    uint32_t osThread() const;

private:
    struct State;
    static void run(const std::shared_ptr<State> &state, int64_t periodMs);
    std::shared_ptr<State> m_state;
};

} // namespace riffle::collector
