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

/// The first place at which the collectives of a group diverge; nothing if they do not. Adds the compared ones to
/// `compared`.
std::optional<Divergence> collectiveDivergence(const JobGroup &group, std::span<const FlightRank> dumps,
                                               uint64_t &compared);

/// The first place per pair of ranks at which their sends and receives diverge.
std::vector<Divergence> p2pDivergences(const JobGroup &group, std::span<const FlightRank> dumps, uint64_t &compared);

/// A divergence of this group, without members.
Divergence divergenceOf(const JobGroup &group, DivergenceKind kind, int64_t sequence);
/// A member of a divergence; `call` is its call there, or null.
HangMember hangMember(const JobGroup::Member &member, HangMember::Part part, std::span<const FlightRank> dumps,
                      const FlightCall *call);
/// Says when calls of the members were made, as far as the clocks of their hosts agree, and whose time ran out.
void addTimes(Divergence &divergence, std::span<const FlightRank> dumps);

} // namespace riffle
