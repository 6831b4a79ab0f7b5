// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/flight_calls.h"
#include "model/analysis/ranks/flight_groups.h"
#include "model/analysis/ranks/hang.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace riffle {

/// The properties that all ranks of a collective must have alike. Sizes that may differ, or that are not recorded, are
/// -1.
struct CallSignature {
    std::string kinds, dtypes;
    std::vector<int64_t> sizes;

    /// Takes what this one does not know from another one that fits.
    void fillFrom(const CallSignature &other)
    {
        for (size_t at = 0; at < sizes.size(); ++at)
            sizes[at] = sizes[at] < 0 ? other.sizes[at] : sizes[at];
        dtypes = dtypes.empty() ? other.dtypes : dtypes;
    }
    /// The number of properties that are not known.
    size_t gaps() const { return static_cast<size_t>(std::ranges::count(sizes, -1)) + dtypes.empty(); }
    bool fits(const CallSignature &other) const
    {
        const auto alike = [](int64_t left, int64_t right) { return left == right || left < 0 || right < 0; };
        return kinds == other.kinds && (dtypes == other.dtypes || dtypes.empty() || other.dtypes.empty()) &&
               sizes.size() == other.sizes.size() && std::equal(sizes.begin(), sizes.end(), other.sizes.begin(), alike);
    }
};
CallSignature callSignatureOf(const FlightDump &dump, const std::vector<FlightCall> &calls);

/// One rank of the group while it is compared. It has a dump.
struct PresentRank {
    const JobGroup::Member *member;
    const FlightRank *dump;
    const FlightGroupCalls *calls; ///< null if the dump has none of this group

    const std::vector<FlightCall> *at(int64_t sequence) const
    {
        if (!calls)
            return nullptr;
        const auto found = calls->collectives.find(sequence);
        return found == calls->collectives.end() ? nullptr : &found->second;
    }
    /// The calls there if they can be compared: the oldest launch of a ring may lack operations.
    const std::vector<FlightCall> *comparedAt(int64_t sequence) const
    {
        return calls && sequence >= calls->knownFrom ? at(sequence) : nullptr;
    }
};

/// The elements that all ranks of the group send and expect in an all-to-all; nothing if that is not known.
std::optional<std::pair<int64_t, int64_t>> exchanged(std::span<const PresentRank> all, int64_t sequence);
/// Decides which of the ranks whose calls differ are wrong, and what kind of divergence that is.
Divergence differing(const JobGroup &group, std::span<const PresentRank> all, int64_t sequence, const Task &task);

} // namespace riffle
