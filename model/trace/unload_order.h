// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_set.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace riffle {

/// Decides which member of a set is unloaded when memory is short: the one that was looked at least recently. The
/// member that is looked at stays, however much memory it takes.
class UnloadOrder {
public:
    /// A member is looked at now.
    void looked(TraceId id);
    /// Returns the member to unload while `used` bytes are more than `limit`; nothing if they fit, or if no member but
    /// the one that is looked at is loaded. Returns nothing, too, while others still use the trace that was returned
    /// last: its memory is not free yet, and perhaps that is enough.
    std::optional<TraceId> next(const TraceSet &set, uint64_t used, uint64_t limit);

private:
    std::vector<TraceId> m_looked; ///< the least recent first; members that nobody has looked at are missing
    std::weak_ptr<const Trace> m_leaving;
};

} // namespace riffle
