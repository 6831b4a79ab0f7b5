// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace riffle::collector {

/// What a step is for. Save: the last one of its cycle.
enum class Action : uint8_t { None, WarmUp, Record, Save };

inline bool isRecorded(Action action) { return action == Action::Record || action == Action::Save; }

/// Which steps are recorded, by the rules of torch.profiler.schedule: `skipFirst` steps once, then cycles of `wait`
/// steps off, `warmup` steps with the sources on but nothing kept, and `active` recorded ones; `repeat` cycles, 0: for
/// ever. With skipFirstWait the first cycle does not wait.
struct Schedule {
    int64_t wait = 0, warmup = 0, active = 0, repeat = 0, skipFirst = 0, skipFirstWait = 0;

    /// `step` counts from 0.
    Action at(int64_t step) const;
    /// From this step on nothing is recorded any more; nothing: there is no such step.
    std::optional<int64_t> end() const;
};

/// "wait=1,warmup=1,active=3,repeat=2,skip_first=1,skip_first_wait=0"; only active has to be there.
std::optional<Schedule> readSchedule(std::string_view text);

} // namespace riffle::collector
