// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/flight_calls.h"
#include "model/analysis/ranks/flight_groups.h"
#include "model/analysis/ranks/hang.h"

#include <optional>
#include <span>
#include <vector>

namespace riffle {

/// The calls that comparisons have looked at.
struct HangCounts {
    uint64_t compared = 0; ///< collectives that at least two ranks have, and pairs of sends and receives
    uint64_t unplaced = 0; ///< calls that did not end and were compared with none
};

/// The first place at which the collectives of a group diverge; nothing if they do not.
std::optional<Divergence> collectiveDivergence(const JobGroup &group, std::span<const FlightRank> dumps,
                                               HangCounts &counts, const Task &task);

/// The first place per pair of ranks at which their sends and receives in one of the groups diverge.
std::vector<Divergence> p2pDivergences(const JobGroup &group, std::span<const JobGroup> groups,
                                       std::span<const FlightRank> dumps, HangCounts &counts, const Task &task);

/// A divergence of this group, without members.
Divergence divergenceOf(const JobGroup &group, DivergenceKind kind, int64_t sequence);
/// A member of a divergence; `call` is its call there, or null.
HangMember hangMember(const JobGroup::Member &member, HangMember::Part part, std::span<const FlightRank> dumps,
                      const FlightCall *call);
/// Lowers the sureness of a divergence where groups were paired by order or a dump may be from another run, and says
/// so.
void addDoubts(Divergence &divergence, const JobGroup &group, std::span<const FlightRank> dumps);
/// Says when calls of the members were made, as far as the clocks of their hosts agree, and whose time ran out.
void addTimes(Divergence &divergence, std::span<const FlightRank> dumps);

} // namespace riffle
