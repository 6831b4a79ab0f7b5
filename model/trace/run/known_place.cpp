// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/run/known_place.h"

namespace riffle {

void knowPlace(RecordedPlace &place, const RankFacts &facts)
{
    place.rank = facts.rank;
    place.worldSize = facts.worldSize;
    if (!facts.host.empty())
        place.host = facts.host;
    place.span.reset();
    // Times without a base count from an unknown origin, such as the start of the machine.
    if (facts.baseTimeNs)
        place.span = TimeSpan{saturatedSum(*facts.baseTimeNs, facts.recorded.begin),
                              saturatedSum(*facts.baseTimeNs, facts.recorded.end)};
}

} // namespace riffle
