// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The parts of the timeline that are computed in the background: graphs, idle times, squeezed lanes, classes of slices,
// the critical path, and which slices are emphasised.
#include "views/timeline/timeline_state.h"

#include "model/analysis/critical_path/critical_path_bands.h"
#include "model/analysis/idle/idle_bands.h"
#include "model/analysis/summary/summary.h"
#include "model/base/stopping.h"
#include "model/layout/highlight_hits.h"
#include "views/common/memory/memory_link.h"
#include "views/common/memory/memory_session.h"
#include "views/timeline/snapshot_graphs.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace riffle {

/// Returns the ranks of which computed lanes can be seen: those with a strip in view, unless they are folded and
/// `folded` is false; those with a pinned lane; and those without a strip, because the lanes that are missing may be
/// their only ones.
std::vector<TraceId> TimelineState::seenRanks(bool folded) const
{
    std::vector<TraceId> seen = m_unlisted;
    const auto add = [&seen](TraceId rank) {
        if (std::ranges::find(seen, rank) == seen.end())
            seen.push_back(rank);
    };
    for (const LaneWindow &window : m_viewport.windows())
        for (const LaneItem &item : window.seen())
            if (traces().find(item.trace) && (folded || item.kind != LaneItem::Kind::TraceHeading || !item.folded))
                add(item.trace);
    if (!m_pane->lanes().pinned.empty())
        for (const TraceId rank : traces().loadedOf({}))
            if (const std::string prefix = laneKeyPrefix(traces(), rank); std::ranges::any_of(
                    m_pane->lanes().pinned, [&](const std::string &key) { return key.starts_with(prefix); }))
                add(rank);
    return seen;
}

/// Computes the lanes, what is squeezed in them, and the classes of seen ranks that are still missing, one rank after
/// another.
void TimelineState::makeSeenLanes()
{
    const auto missing = [](const std::vector<TraceId> &seen, const std::set<TraceId> &made) {
        const auto found = std::ranges::find_if_not(seen, [&](TraceId rank) { return made.contains(rank); });
        return found == seen.end() ? TraceId() : *found;
    };
    const std::vector<TraceId> unfolded = seenRanks(false);
    if (const TraceId rank = missing(unfolded, m_withGraphs); rank.valid() && !m_jobs.running(kGraphsJob))
        makeGraphs(rank);
    if (const TraceId rank = missing(unfolded, m_withIdle); rank.valid() && !m_jobs.running(kIdleJob))
        makeIdle(rank);
    if (const TraceId rank = missing(unfolded, m_withSqueezed); rank.valid() && !m_jobs.running(kSqueezeJob))
        makeSqueezed(rank);
    if (m_colourMode == ColourMode::Name)
        return;
    if (m_colourMode != ColourMode::Class) {
        if (const TraceId rank = missing(seenRanks(true), m_withTints); rank.valid() && !m_jobs.running(kTintsJob))
            makeTints(rank);
        return;
    }
    if (const TraceId rank = missing(seenRanks(true), m_withClasses); rank.valid() && !m_jobs.running(kClassesJob))
        makeClasses(rank);
}

/// Computes something of a rank in the background and remembers that it is made. If the rank was read again or closed
/// meanwhile, or the work was stopped, the result is dropped; if it has grown, it is shown until there is more. Work
/// that fails counts as made, because it would fail again.
template <typename Work, typename Take>
void TimelineState::make(TraceId rank, const QString &job, std::set<TraceId> &made, Work work, Take take)
{
    const LoadedTrace asked = *m_session->facts()->set().find(rank);
    m_jobs.run(
        job, m_session->inTurn([trace = asked.trace, work = std::move(work)](const std::stop_token &stop) {
            return untilStopped(stop, [&] { return work(*trace, stop); });
        }),
        [this, rank, asked, &made, take = std::move(take)](auto result) {
            const LoadedTrace *now = m_known.find(rank);
            if (result && now && now->reading == asked.reading) {
                if (now->trace == asked.trace)
                    made.insert(rank);
                take(*asked.trace, std::move(*result));
            }
            makeSeenLanes();
        },
        [rank, &made](const QString &why) {
            made.insert(rank);
            emit JobFailures::all().happened(why);
        });
}

void TimelineState::makeGraphs(TraceId rank)
{
    const auto &snapshots = m_session->memory()->snapshots();
    std::shared_ptr<const SnapshotFacts> snapshot; // the first one that belongs to the trace
    for (size_t at = 0; at < snapshots.size() && !snapshot; ++at)
        if (traceOfSnapshot(*m_session, at) == rank)
            snapshot = snapshots[at];
    make(
        rank, kGraphsJob, m_withGraphs,
        [snapshot](const Trace &trace, const std::stop_token &stop) {
            const Task task{stop, nullptr};
            std::vector<TraceGraph> graphs = graphsOf(trace, task);
            if (snapshot)
                for (TraceGraph &graph : snapshotGraphs(*snapshot, trace, task))
                    graphs.push_back(std::move(graph));
            return graphs;
        },
        [this, rank](const Trace &, std::vector<TraceGraph> graphs) {
            m_graphs[rank] = std::make_shared<const std::vector<TraceGraph>>(std::move(graphs));
            relayoutInPlace();
        });
}

void TimelineState::makeIdle(TraceId rank)
{
    make(
        rank, kIdleJob, m_withIdle,
        [facts = m_session->facts(), rank](const Trace &, const std::stop_token &stop) {
            return idleBands(*facts, std::span(&rank, 1), stop);
        },
        [this, rank](const Trace &, SetBands bands) {
            m_idle[rank] = std::move(bands[rank]);
            relayoutInPlace();
        });
}

void TimelineState::makeSqueezed(TraceId rank)
{
    make(
        rank, kSqueezeJob, m_withSqueezed,
        [facts = m_session->facts(), rank](const Trace &, const std::stop_token &) {
            return facts->of(rank).squeezedLanes();
        },
        [this, rank](const Trace &trace, std::shared_ptr<const SqueezedLanes> lanes) {
            const SliceRef selected = m_session->selected();
            const bool isThere = trace.segmentOf(selected.slice); // otherwise it came later
            const bool wasShown = selected.valid() && selected.trace == rank && hasRow(selected);
            m_squeezed[rank] = std::move(lanes);
            findSqueezedHits();
            relayoutInPlace();
            if (wasShown && isThere && !hasRow(selected)) // it was revealed when its lane still showed all frames
                expose({rank, trace.segmentOf(selected.slice)->lane}, selected.slice);
        });
}

/// Finds the emphasised slices in the squeezed lanes, whenever either have changed.
void TimelineState::findSqueezedHits()
{
    PerTrace<BigVector<uint32_t>> hits;
    for (const LoadedTrace &member : m_session->traces().loaded()) {
        const auto &squeezed = std::as_const(m_squeezed)[member.id];
        const BigVector<uint32_t> &own = std::as_const(m_hits)[member.id];
        if (squeezed && !squeezed->lanes.empty() && !own.empty())
            hits[member.id] = own;
    }
    m_squeezedHits.clear();
    if (hits.empty()) {
        m_jobs.cancel(kSqueezedHitsJob);
        return;
    }
    m_jobs.run(
        kSqueezedHitsJob,
        [set = m_session->traces(), squeezed = m_squeezed, hits = std::move(hits)](const std::stop_token &stop) {
            PerTrace<BigVector<uint32_t>> numbers;
            for (const LoadedTrace &member : set.loaded())
                if (!hits[member.id].empty())
                    numbers[member.id] =
                        numbersOf(*member.trace, *squeezed[member.id], hits[member.id], Task{stop, nullptr});
            return numbers;
        },
        [this](PerTrace<BigVector<uint32_t>> numbers) {
            m_squeezedHits = std::move(numbers);
            emit picturesChanged();
        });
}

void TimelineState::forgetTints()
{
    m_jobs.cancel(kTintsJob);
    m_tints.clear();
    m_withTints.clear();
}

void TimelineState::makeTints(TraceId rank)
{
    const std::span<const Step> steps = m_session->stepsOf(rank);
    make(
        rank, kTintsJob, m_withTints,
        [mode = m_colourMode, steps = std::vector(steps.begin(), steps.end())](const Trace &trace,
                                                                               const std::stop_token &) {
            return sliceTints(trace, mode, steps, nameColours().size());
        },
        [this, rank](const Trace &, SliceTints tints) {
            m_tints[rank] = std::make_shared<const SliceTints>(std::move(tints));
            emit picturesChanged();
        });
}

void TimelineState::makeClasses(TraceId rank)
{
    make(
        rank, kClassesJob, m_withClasses,
        [facts = m_session->facts(), rank](const Trace &, const std::stop_token &) {
            return facts->of(rank).workClasses();
        },
        [this, rank](const Trace &, std::shared_ptr<const WorkClasses> classes) {
            m_classes[rank] = std::move(classes);
            if (m_pointedClass != WorkClass::None)
                findHits();
            emit picturesChanged();
        });
}

void TimelineState::makeCriticalPath()
{
    const QString key = QStringLiteral("critical path");
    if (!m_showsPath || traces().empty()) {
        m_jobs.cancel(key);
        return;
    }
    m_jobs.run(key,
               m_session->inTurn([facts = m_session->facts(), request = m_session->request()](
                                     const std::stop_token &stop) { return criticalPathBands(*facts, request, stop); }),
               [this](SetBands path) {
                   m_path = std::move(path);
                   relayoutInPlace();
               });
}

void TimelineState::showCriticalPath(bool on)
{
    if (on == m_showsPath)
        return;
    m_showsPath = on;
    if (!on) {
        m_path.clear();
        relayout();
    }
    makeCriticalPath();
    emit picturesChanged();
}

namespace {

/// Per trace, the ascending ids of all names that pass.
PerTrace<std::vector<uint32_t>> namesPassing(const TraceSet &set, const TextMatcher &passes)
{
    PerTrace<std::vector<uint32_t>> names;
    for (const LoadedTrace &member : set.loaded()) {
        std::vector<uint32_t> &own = names[member.id]; // also if none passes: then nothing is emphasised
        for (uint32_t id = 0; id < member.trace->strings.count(); ++id) {
            throwIfStoppedAt(id);
            if (passes(member.trace->string(id)))
                own.push_back(id);
        }
    }
    return names;
}

} // namespace

void TimelineState::findHits()
{
    // A class under the pointer is emphasised, otherwise the highlight, otherwise the slices that pass the filters.
    const bool isPointed = m_pointedClass != WorkClass::None;
    const auto &names = m_session->highlight();
    const auto &slices = m_session->highlightedSlices();
    const bool isHighlighted = !names.empty() || !slices.empty();
    const WorkClassSet classes = isPointed ? bitOf(m_pointedClass) : isHighlighted ? 0 : m_session->filters().classes;
    const auto filter = m_session->filters().names();
    const bool byFilter = !isPointed && !isHighlighted && filter && *filter;
    const bool byNames = !isPointed && !names.empty();
    if (!classes && !byFilter && !byNames) {
        m_jobs.cancel(kHitsJob);
        emphasise({}, slices, true);
        return;
    }
    if (byNames) { // at once; where longer slices hide them is still to be found
        m_emphasisedNames = names;
        m_areSlicesEmphasised = false;
    }
    struct Found {
        PerTrace<std::vector<uint32_t>> names;
        PerTrace<BigVector<uint32_t>> hits;
    };
    m_jobs.run(kHitsJob,
               m_session->inTurn([facts = m_session->facts(), names, classes, isPointed, known = m_classes, byFilter,
                                  passes = filter ? *filter : TextMatcher()](const std::stop_token &stop) mutable {
                   return untilStopped(stop, [&] {
                       const TraceSet &set = facts->set();
                       Found found{names, {}};
                       if (byFilter)
                           found.names = namesPassing(set, passes);
                       const Task task{stop, nullptr};
                       if (!classes) {
                           found.hits = slicesOfNames(set, found.names, task);
                           return found;
                       }
                       // The pointer is about ranks that are seen. Their classes are known, if only those of an earlier
                       // generation.
                       for (const LoadedTrace &member : set.loaded())
                           if (!isPointed || known[member.id])
                               known[member.id] = facts->of(member.id).workClasses();
                       found.hits = slicesOfClasses(set, known, classes, byFilter ? &found.names : nullptr, task);
                       return found;
                   });
               }),
               [this, classes](std::optional<Found> found) {
                   if (found)
                       emphasise(classes ? PerTrace<std::vector<uint32_t>>() : std::move(found->names),
                                 std::move(found->hits), classes != 0);
               });
}

void TimelineState::emphasise(PerTrace<std::vector<uint32_t>> names, PerTrace<BigVector<uint32_t>> hits, bool areSlices)
{
    m_emphasisedNames = std::move(names);
    m_hits = std::move(hits);
    m_areSlicesEmphasised = areSlices;
    findSqueezedHits();
    emit picturesChanged();
}

void TimelineState::pointAtClass(WorkClass kind)
{
    if (kind == std::exchange(m_pointedClass, kind))
        return;
    findHits();
}

void TimelineState::highlightName(const std::string &name)
{
    m_jobs.run(
        kHighlightJob,
        [set = m_session->traces(), name](const std::stop_token &stop) {
            const auto passes = [&name](std::string_view text) { return text == name; };
            return untilStopped(stop, [&] { return namesPassing(set, passes); });
        },
        [this, opening = m_session->opening()](std::optional<PerTrace<std::vector<uint32_t>>> names) {
            if (names && opening == m_session->opening())
                m_session->setHighlight(std::move(*names));
        });
}

const PerTrace<BigVector<uint32_t>> &TimelineState::emphasisedSlices() const
{
    static const PerTrace<BigVector<uint32_t>> none;
    return m_areSlicesEmphasised ? m_hits : none;
}

} // namespace riffle
