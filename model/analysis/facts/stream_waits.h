// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_work.h"
#include "model/base/big_vector.h"

namespace riffle {

/// The dependencies between device work on different streams, from the recorded waits of streams for events (cuda_sync,
/// kind "Stream Wait Event"). The waiting work is the first work launched on its stream after the call of the wait; it
/// waits for the last work launched on the other stream before the event was recorded.
class StreamWaits {
public:
    StreamWaits(const Trace &trace, const DeviceWork &work);

    /// The work that `work` had to wait for; kNone if none is known.
    uint32_t source(uint32_t work) const { return m_sources.empty() ? DeviceWork::kNone : m_sources[work]; }

private:
    BigVector<uint32_t> m_sources; ///< per work; empty if no waits were recorded
};

} // namespace riffle
