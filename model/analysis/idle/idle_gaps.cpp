// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/idle/idle_gaps.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/facts/stream_waits.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>

namespace riffle {

namespace {

constexpr Ns kLinked = 5'000; ///< work that ended at most this long before a gap may have delayed the next work

constexpr std::array<IdleCauseText, kIdleCauses> kTexts{{
    {"dataloader", "Host: DataLoader", "The launching thread waited for the next batch."},
    {"synchronisation", "Host: synchronisation", "The launching thread was in a call that waits for the device."},
    {"runtime", "Host: runtime", "The launching thread was in other runtime or driver calls."},
    {"host_code", "Host: operators and Python", "The launching thread ran operators or Python."},
    {"nothing_recorded", "Host: nothing recorded", "The trace does not show what the launching thread did."},
    {"communication", "Communication",
     "The next work was launched before the gap and waited for a collective that ended at the start of the gap or "
     "later."},
    {"dependency", "Dependency",
     "The next work was launched before the gap and waited for work on another stream that ended at the start of the "
     "gap or later."},
    {"launch_latency", "Launch latency", "The next work was launched before the gap, and no wait was recorded."},
    {"unknown", "Unknown",
     "Nothing follows before the end of the last step, or the next work's launch was not recorded."},
}};

/// The activity of one thread in given spans, with one walk per role.
struct LaneWalks {
    explicit LaneWalks(const RoleTimes::Lane &lane)
        : walks{IntervalWalk(lane.dataloader), IntervalWalk(lane.waiting), IntervalWalk(lane.runtime),
                IntervalWalk(lane.code)}
    {
    }
    /// The cause that covers most of the span; ties go to the earlier cause.
    IdleCause mainly(TimeSpan span)
    {
        if (span.empty())
            return IdleCause::Runtime; // it was launching the very work that ended the gap
        Ns longest = 0;
        Ns rest = span.duration();
        IdleCause cause = IdleCause::NothingRecorded;
        for (size_t at = 0; at < walks.size(); ++at) {
            const Ns length = walks[at].lengthWithin(span);
            rest -= length;
            if (length > longest) {
                longest = length;
                cause = static_cast<IdleCause>(at);
            }
        }
        return rest > longest ? IdleCause::NothingRecorded : cause;
    }
    std::array<IntervalWalk, 4> walks;
};

class Finder {
public:
    explicit Finder(const TraceFacts &facts) : m_facts(facts), m_work(facts.work()), m_reader(facts.trace()) {}

    IdleGap judged(TimeSpan span, uint32_t next)
    {
        IdleGap gap{span, IdleCause::Unknown, next};
        if (next == DeviceWork::kNone || m_work.launch[next] == DeviceWork::kNone ||
            !m_reader.seek(m_work.launch[next]))
            return gap;
        const Ns launched = m_reader.start();
        if (launched >= span.begin) {
            const auto [walks, isNew] =
                m_lanes.try_emplace(m_reader.lane(), m_facts.roles().lanes[m_reader.lane().value]);
            gap.cause = walks->second.mainly({span.begin, std::min(launched, span.end)});
            return gap;
        }
        const uint32_t source = m_facts.waits().source(next);
        if (source == DeviceWork::kNone || m_work.end[source] < span.begin - kLinked)
            gap.cause = IdleCause::LaunchLatency;
        else
            gap.cause = m_work.role[source] == Role::Communication ? IdleCause::Communication : IdleCause::Dependency;
        return gap;
    }

private:
    const TraceFacts &m_facts;
    const DeviceWork &m_work;
    SliceReader m_reader;
    std::map<LaneId, LaneWalks> m_lanes;
};

} // namespace

const IdleCauseText &textOf(IdleCause cause) { return kTexts[static_cast<size_t>(cause)]; }

Ns DeviceIdle::total() const
{
    Ns sum = 0;
    for (const Ns part : sums)
        sum += part;
    return sum;
}

std::vector<DeviceIdle> idleGaps(const Scope &scope)
{
    const TraceFacts &facts = scope.facts();
    IntervalSet whole = scope.window();
    if (scope.request().wholeGaps)
        whole = (whole | IntervalSet(facts.steps().window())) - facts.gaps().times;
    return idleGaps(facts, scope.window(), whole);
}

std::vector<DeviceIdle> idleGaps(const TraceFacts &facts, const IntervalSet &window, const IntervalSet &all)
{
    const DeviceWork &work = facts.work();
    std::vector<DeviceIdle> devices(work.devices.size());
    const Ns end = all.empty() ? 0 : all.intervals().back().end;
    for (size_t at = 0; at < devices.size(); ++at) {
        Finder finder(facts);
        const IntervalSet &busy = facts.devices()[at].busy;
        const IntervalSet wholes = all - busy, idle = window - busy;
        const auto isBefore = [](const TimeSpan &whole, Ns time) { return whole.end <= time; };
        auto whole = wholes.intervals().begin();
        std::optional<IdleGap> judged;
        uint32_t next = work.devices[at].first;
        for (const TimeSpan &span : idle.intervals()) {
            const auto around = std::lower_bound(whole, wholes.intervals().end(), span.begin, isBefore);
            assert(around != wholes.intervals().end() && around->begin <= span.begin && span.end <= around->end);
            if (!judged || around != whole) {
                whole = around;
                while (next < work.devices[at].last && work.start[next] < whole->end)
                    ++next;
                const bool follows =
                    next < work.devices[at].last && work.start[next] < end && !facts.gaps().times.contains(whole->end);
                judged = finder.judged(*whole, follows ? next : DeviceWork::kNone);
            }
            devices[at].gaps.push_back({span, judged->cause, judged->next});
            devices[at].sums[static_cast<size_t>(judged->cause)] += span.duration();
        }
    }
    return devices;
}

} // namespace riffle
