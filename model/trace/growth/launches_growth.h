// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/seeded_hash.h"
#include "model/base/time.h"
#include "model/trace/growth/growth_memory.h"
#include "model/trace/growth/merge_thread.h"
#include "model/trace/import_report.h"
#include "model/trace/launch_links.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace riffle {

/// Joins calls and device work with the same correlation, whichever comes first. Correlations wait in groups, in the
/// order in which they were first seen; if too many wait, the oldest group leaves, so that a correlation that is used
/// again after 2^32 calls does not meet the old one. The links of each group are a run; those of groups that have left
/// never change and are merged.
class LaunchesGrowth {
public:
    static constexpr size_t kMostWaiting = 131'072;
    using Run = LaunchLinks::Run;

    /// Both outlive this object, `memory` also the merger.
    LaunchesGrowth(GrowthMemory &memory, MergeThread &merger) : m_memory(memory), m_merger(merger) {}

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
        const Entry &entry = m_groups[found->second.group - m_firstGroup].entries[found->second.entry];
        entry.calls.visit(visit);
        entry.works.visit(visit);
    }
    /// Runs whose slices all started before this time leave.
    void leaveBefore(Ns time);
    /// Returns all links. Called once in each tick.
    LaunchLinks links();
    /// Adds the work without a launch: all of it, or only that of correlations that have left the table.
    void report(ImportReport &report, bool all) const;

private:
    /// Nearly always one member.
    struct Members {
        Member first; ///< without a slice if there is none
        std::vector<Member> others;

        bool empty() const { return !first.slice.valid(); }
        void add(const Member &member);
        template <typename F>
        void visit(F visit) const
        {
            if (!empty())
                visit(first);
            std::ranges::for_each(others, visit);
        }
    };
    struct Entry {
        int64_t correlation = 0;
        Members calls, works;
        /// The launch: the earliest call.
        SliceId launch() const;
    };
    static constexpr size_t kGroupEntries = 4096;
    struct Group {
        std::vector<Entry> entries;
        std::shared_ptr<const Run> made; ///< null if something has come since
        Ns lastStart = INT64_MIN;
    };
    struct Place {
        uint64_t group; ///< counted from the first one of all
        uint32_t entry;
    };
    /// Links that do not change any more.
    struct FinalRun {
        std::shared_ptr<const Run> run;
        Ns lastStart;
        uint32_t level; ///< how often it was merged
    };
    struct Link {
        uint32_t work, launch;
    };
    Entry &entry(int64_t correlation, Ns start);
    void leave();
    std::shared_ptr<const Run> made(const Group &group) const;
    static std::shared_ptr<const Run> ordered(std::vector<Link> links, GrowthMemory *memory);
    void mergeFinal();
    void takeMerged();

    GrowthMemory &m_memory;
    MergeThread &m_merger;
    SeededMap<int64_t, Place> m_waiting;
    std::deque<Group> m_groups; ///< of those that wait, oldest first
    uint64_t m_firstGroup = 0;
    std::vector<FinalRun> m_final; ///< in the order in which they left the table
    std::vector<std::shared_ptr<const Run>> m_merging;
    std::shared_ptr<const MergeThread::Merge<Run>> m_merge; ///< of m_merging; null if none is under way
    ImportReport m_report;                                  ///< about what has left the table
};

} // namespace riffle
