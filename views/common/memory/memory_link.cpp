// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/memory/memory_link.h"

#include "model/analysis/memory/snapshot_facts.h"
#include "model/trace/run/place_in_name.h"

#include <QScopedValueRollback>

#include <algorithm>
#include <cassert>

namespace riffle {

TraceId traceOfSnapshot(const Session &session, size_t snapshot)
{
    const TraceSet &traces = session.traces();
    const TraceId chosen = session.memory()->chosenTrace(snapshot);
    if (traces.member(chosen))
        return chosen;
    const PlaceInName place = placeInName(session.memory()->snapshots().at(snapshot)->snapshot().path);
    const auto members = traces.members();
    const auto withRank = [&](std::optional<int64_t> rank) {
        return std::ranges::find_if(members, [&](const TraceMember &one) { return rank && one.rank == rank; });
    };
    auto found = withRank(place.rank);
    if (found == members.end())
        found = withRank(place.rankOfFile); // the folder's number may mean something else
    if (found == members.end())
        found = std::ranges::find_if(members, [](const TraceMember &one) { return one.state != MemberState::Failed; });
    return found == members.end() ? TraceId() : found->id;
}

MemoryLink::MemoryLink(Session *session) : QObject(session), m_session(session), m_memory(session->memory())
{
    connect(m_session, &Session::changed, this, &MemoryLink::onSession);
    connect(m_session->pane(), &Pane::changed, this, &MemoryLink::onPane);
    connect(m_memory, &MemorySession::changed, this, &MemoryLink::onMemory);
}

void MemoryLink::align()
{
    m_alignment.reset(); // it belongs to the previous snapshot or trace
    const auto facts = m_memory->facts();
    const LoadedTrace *member =
        facts ? m_session->traces().find(traceOfSnapshot(*m_session, m_memory->place().snapshot)) : nullptr;
    m_trace = member ? member->id : TraceId();
    if (!member) {
        m_jobs.cancel(QStringLiteral("align"));
        m_memory->setSteps({});
        return;
    }
    struct Answer {
        std::optional<SnapshotAlignment> alignment;
        EventTimes times;
    };
    const auto device = static_cast<uint32_t>(m_memory->place().device);
    m_jobs.run(
        QStringLiteral("align"),
        [facts, device, trace = member->trace,
         known = m_times.of(facts, device) ? std::optional(m_times) : std::nullopt](std::stop_token) {
            Answer answer{alignSnapshot(facts->snapshot(), *trace), {}};
            if (answer.alignment)
                answer.times = known ? *known : EventTimes(facts, device);
            return answer;
        },
        [this](Answer answer) {
            m_alignment = answer.alignment;
            m_times = std::move(answer.times);
            m_memory->setSteps(steps());
            if (!m_alignment)
                emit unaligned(tr("The snapshot and the trace cannot share a cursor: they were recorded at different "
                                  "times or have no marks in common."));
        });
}

const LoadedTrace &MemoryLink::linked() const
{
    const LoadedTrace *member = m_session->traces().find(m_trace);
    assert(m_alignment && member);
    return *member;
}

std::vector<MemorySession::Step> MemoryLink::steps() const
{
    std::vector<MemorySession::Step> all;
    if (m_alignment)
        for (const Step &step : linked().trace->steps)
            all.push_back({step.number, m_alignment->toUnix(step.span.begin), m_alignment->toUnix(step.span.end)});
    return all;
}

void MemoryLink::onSession(Session::Changes changes)
{
    if (changes & (Session::Traces | Session::Members | Session::Renewed))
        align();
    if (m_following || !m_alignment)
        return;
    const QScopedValueRollback guard(m_following, true);
    const SliceRef selected = m_session->selected();
    if (changes & Session::Selection && selected.valid() && selected.trace == m_trace)
        if (const auto slice = linked().trace->slice(selected.slice))
            setInstantAt(m_alignment->toUnix(slice->data.start));
}

void MemoryLink::onPane(Pane::Changes changes)
{
    if (m_following || !m_alignment || !(changes & Pane::Hover))
        return;
    const QScopedValueRollback guard(m_following, true);
    const std::optional<Ns> cursor = m_session->pane()->cursor();
    m_memory->setCursor(cursor ? std::optional(unixOf(*cursor)) : std::nullopt);
}

void MemoryLink::onMemory(MemorySession::Changes changes)
{
    if (changes & (MemorySession::Snapshots | MemorySession::Place | MemorySession::Owner))
        align();
    if (m_following || !m_alignment)
        return;
    const QScopedValueRollback guard(m_following, true);
    if (changes & MemorySession::Cursor)
        m_session->pane()->setHover({},
                                    m_memory->cursor() ? std::optional(setTimeOf(*m_memory->cursor())) : std::nullopt);
    if (changes & MemorySession::Instant && m_memory->instant() != MemorySession::kNone)
        if (const int64_t time = m_memory->snapshot()->events.time.at(m_memory->instant(), MemoryEventTable::kNoTime);
            time != MemoryEventTable::kNoTime)
            bringIntoSight(setTimeOf(time));
}

int64_t MemoryLink::unixOf(Ns setTime) const { return m_alignment->toUnix(linked().time.toTrace(setTime)); }

Ns MemoryLink::setTimeOf(int64_t unixNs) const { return linked().time.toSet(m_alignment->toTrace(unixNs)); }

/// Sets the instant to the last event of the device at or before a time.
void MemoryLink::setInstantAt(int64_t unixNs)
{
    if (m_times.any())
        m_memory->setInstant(m_times.lastAt(unixNs));
}

void MemoryLink::bringIntoSight(Ns setTime)
{
    const TimeSpan visible = m_session->pane()->visibleRange(), whole = m_session->pane()->wholeRange();
    if (visible.contains(setTime) || !whole.contains(setTime))
        return;
    const Ns half = visible.duration() / 2;
    m_session->pane()->goTo({saturatedSum(setTime, -half), saturatedSum(setTime, half)});
}

} // namespace riffle
