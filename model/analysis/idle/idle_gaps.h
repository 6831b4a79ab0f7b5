// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <array>
#include <cstdint>
#include <vector>

namespace riffle {

/// Why a device did nothing (R6). The first five are the host's doing: the device was not fed, and this is what the
/// launching thread did meanwhile.
enum class IdleCause : uint8_t {
    Dataloader,
    Synchronisation, ///< in a call that waits for the device
    Runtime,         ///< in other runtime and driver calls
    HostCode,        ///< in operators and Python
    NothingRecorded,
    Communication, ///< launched in time, but waiting for a collective
    Dependency,    ///< launched in time, but waiting for work on another stream
    LaunchLatency, ///< launched in time, and waiting for nothing that was recorded
    Unknown,       ///< nothing follows, or it is not known from where it was launched
};
inline constexpr size_t kIdleCauses = 9;

struct IdleCauseText {
    const char *key;
    const char *title;
    const char *meaning;
};
const IdleCauseText &textOf(IdleCause cause);
inline bool isHostsDoing(IdleCause cause) { return cause <= IdleCause::NothingRecorded; }

/// A maximal time in which a device had no kernel, copy or memset.
struct IdleGap {
    TimeSpan span;
    IdleCause cause = IdleCause::Unknown;
    uint32_t next = DeviceWork::kNone; ///< the work that ended it; none where nothing follows
};

struct DeviceIdle {
    std::vector<IdleGap> gaps;          ///< in order of time
    std::array<Ns, kIdleCauses> sums{}; ///< together exactly the idle time
    Ns total() const;
};

/// The idle times of each device (as in work().devices) inside the scope's window.
std::vector<DeviceIdle> idleGaps(const Scope &scope);

} // namespace riffle
