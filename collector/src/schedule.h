// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace riffle::collector {

/// The role of a step. Save is the last recorded step of its cycle.
enum class Action : uint8_t { None, WarmUp, Record, Save };

inline bool isRecorded(Action action) { return action == Action::Record || action == Action::Save; }

/// The steps to record, by the rules of torch.profiler.schedule: `skipFirst` steps are skipped once; then each cycle
/// has `wait` steps with the sources off, `warmup` steps with the sources on but nothing kept, and `active` recorded
/// steps. There are `repeat` cycles, or endless ones if it is 0. With skipFirstWait the first cycle does not wait.
struct Schedule {
    int64_t wait = 0, warmup = 0, active = 0, repeat = 0, skipFirst = 0, skipFirstWait = 0;

    /// `step` counts from 0.
    Action at(int64_t step) const;
    /// The first step from which nothing is recorded any more; nullopt if recording never ends.
    std::optional<int64_t> end() const;
};

/// Parses "wait=1,warmup=1,active=3,repeat=2,skip_first=1,skip_first_wait=0"; only `active` is required. Returns
/// nullopt if the text is invalid.
std::optional<Schedule> readSchedule(std::string_view text);
/// The schedule as readSchedule() parses it.
std::string textOf(const Schedule &schedule);

} // namespace riffle::collector
