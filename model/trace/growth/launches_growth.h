// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/ids.h"
#include "model/base/seeded_hash.h"
#include "model/base/time.h"
#include "model/trace/import_report.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace riffle {

/// Joins calls and device work with the same correlation, whichever comes first. Correlations wait in a table; if it
/// is full, the oldest one leaves it, so that a correlation that is used again after 2^32 calls does not meet the old
/// one.
class LaunchesGrowth {
public:
    static constexpr size_t kMostWaiting = 131'072;

    struct Link {
        SliceId launch, work;
    };
    /// A slice with a correlation.
    struct Member {
        SliceId slice;
        uint32_t lane = 0;
        Ns start = 0;
        uint64_t offset = 0; ///< its place in the source
    };
    void addCall(int64_t correlation, const Member &call);
    void addWork(int64_t correlation, const Member &work);
    /// Calls visit(member) for the calls and the work of a correlation that have come so far.
    template <typename F>
    void visit(int64_t correlation, F visit) const
    {
        const auto found = m_waiting.find(correlation);
        if (found == m_waiting.end())
            return;
        std::ranges::for_each(found->second.calls, visit);
        std::ranges::for_each(found->second.works, visit);
    }
    /// Returns all links, in any order.
    std::vector<Link> links() const;
    /// Adds the work without a launch: all of it, or only that of correlations that have left the table.
    void report(ImportReport &report, bool all) const;

private:
    struct Entry {
        std::vector<Member> calls, works;
        /// The launch: the earliest call.
        SliceId launch() const;
    };
    Entry &entry(int64_t correlation);
    void leave(const Entry &entry);

    SeededMap<int64_t, Entry> m_waiting;
    std::deque<int64_t> m_order; ///< oldest first
    std::vector<Link> m_links;   ///< of correlations that have left the table
    ImportReport m_report;       ///< about these
};

} // namespace riffle
