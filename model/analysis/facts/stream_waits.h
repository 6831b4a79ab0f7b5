// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_work.h"

#include <vector>

namespace riffle {

/// Which device work had to wait for which on another stream, from the recorded waits of streams for events (cuda_sync,
/// kind "Stream Wait Event"). The work that waits is the first one launched on its stream after the wait was called;
/// what it waits for is the work launched last on the other stream before the event was recorded.
class StreamWaits {
public:
    StreamWaits(const Trace &trace, const DeviceWork &work);

    /// The work that `work` had to wait for; kNone where none is known.
    uint32_t source(uint32_t work) const { return m_sources.empty() ? DeviceWork::kNone : m_sources[work]; }

private:
    std::vector<uint32_t> m_sources; ///< by work; empty where no waits were recorded
};

} // namespace riffle
