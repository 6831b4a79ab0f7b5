// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/schedule.h"

#include "collector/src/option_text.h"

#include <utility>

namespace riffle::collector {

Action Schedule::at(int64_t step) const
{
    if (step < skipFirst)
        return Action::None;
    step += (skipFirstWait ? wait : 0) - skipFirst;
    const int64_t cycle = wait + warmup + active;
    if (repeat > 0 && step / cycle >= repeat)
        return Action::None;
    const int64_t place = step % cycle;
    if (place < wait)
        return Action::None;
    if (place < wait + warmup)
        return Action::WarmUp;
    return place < cycle - 1 ? Action::Record : Action::Save;
}

std::optional<int64_t> Schedule::end() const
{
    if (repeat == 0)
        return std::nullopt;
    return skipFirst + repeat * (wait + warmup + active) - (skipFirstWait ? wait : 0);
}

std::optional<Schedule> readSchedule(std::string_view text)
{
    Schedule schedule;
    const std::pair<std::string_view, int64_t *> fields[] = {{"wait", &schedule.wait},
                                                             {"warmup", &schedule.warmup},
                                                             {"active", &schedule.active},
                                                             {"repeat", &schedule.repeat},
                                                             {"skip_first", &schedule.skipFirst},
                                                             {"skip_first_wait", &schedule.skipFirstWait}};
    while (!text.empty()) {
        std::string_view value = takePart(text, ",");
        const std::string_view name = takePart(value, "=");
        bool known = false;
        for (const auto &[field, number] : fields)
            known |= field == name && readNumber(value, 0, INT32_MAX, *number);
        if (!known)
            return std::nullopt;
    }
    return schedule.active > 0 ? std::optional(schedule) : std::nullopt;
}

std::string textOf(const Schedule &schedule)
{
    const auto part = [](const char *name, int64_t number) { return std::string(name) + "=" + std::to_string(number); };
    return part("wait", schedule.wait) + "," + part("warmup", schedule.warmup) + "," + part("active", schedule.active) +
           "," + part("repeat", schedule.repeat) + "," + part("skip_first", schedule.skipFirst) + "," +
           part("skip_first_wait", schedule.skipFirstWait);
}

} // namespace riffle::collector
