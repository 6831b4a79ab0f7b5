// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/flight/flight_dump.h"

#include <algorithm>

namespace riffle {

std::string_view flightStateName(FlightState state)
{
    switch (state) {
    case FlightState::Scheduled: return "scheduled";
    case FlightState::Started: return "started";
    case FlightState::Completed: return "completed";
    case FlightState::Unknown: break;
    }
    return "unknown";
}

bool FlightDump::tracksState() const
{
    return std::ranges::any_of(entries, [this](const FlightEntry &entry) {
        return entry.state == FlightState::Started || entry.state == FlightState::Completed ||
               text(entry.name).starts_with("nccl:");
    });
}

std::optional<int64_t> FlightDump::worldSize() const
{
    std::optional<int64_t> size;
    for (const FlightGroup &group : groups)
        if (!group.ranks.empty() && (!size || group.ranks.back() >= *size))
            size = group.ranks.back() + 1;
    return size;
}

} // namespace riffle
