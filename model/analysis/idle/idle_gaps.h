// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/base/big_vector.h"

#include <array>
#include <cstdint>
#include <vector>

namespace riffle {

/// Why a device was idle (R6). The first five are due to the host, which did not feed the device; they say what the
/// launching thread did in the meantime.
enum class IdleCause : uint8_t {
    Dataloader,
    Synchronisation, ///< in a call that waits for the device
    Runtime,         ///< in other runtime and driver calls
    HostCode,        ///< in operators and Python
    NothingRecorded,
    Communication, ///< launched in time, but waited for a collective
    Dependency,    ///< launched in time, but waited for work on another stream
    LaunchLatency, ///< launched in time, and no wait was recorded
    Unknown,       ///< nothing follows, or the launch of what follows is unknown
};
inline constexpr size_t kIdleCauses = 9;

struct IdleCauseText {
    const char *key;
    const char *title;
    const char *meaning;
};
const IdleCauseText &textOf(IdleCause cause);
inline bool isHostsDoing(IdleCause cause) { return cause <= IdleCause::NothingRecorded; }

/// A maximal span of a window in which a device ran no kernel, copy or memset. Times in which the device was not
/// recorded are in no gap and end one: what follows after such a time does not say why the gap was there. If the window
/// cuts it, cause and next work are those of the whole gap, so that they are the same in every window.
struct IdleGap {
    TimeSpan span;
    IdleCause cause = IdleCause::Unknown;
    uint32_t next = DeviceWork::kNone; ///< the work that ended the whole gap; kNone if nothing follows
};

struct DeviceIdle {
    BigVector<IdleGap> gaps;            ///< in order of time
    std::array<Ns, kIdleCauses> sums{}; ///< they add up to exactly the idle time
    Ns total() const;
};

/// The idle times of each device (as in work().devices) inside the scope's window.
std::vector<DeviceIdle> idleGaps(const Scope &scope);
/// The same inside any times in which devices were recorded. A gap has the cause that it has in `all`, which contains
/// these times.
std::vector<DeviceIdle> idleGaps(const TraceFacts &facts, const IntervalSet &window, const IntervalSet &all);

} // namespace riffle
