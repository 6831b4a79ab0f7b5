// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/memory/memory_link.h"

#include "model/analysis/memory/snapshot_facts.h"

#include <QScopedValueRollback>

namespace riffle {

MemoryLink::MemoryLink(Session *session) : QObject(session), m_session(session), m_memory(session->memory())
{
    connect(m_session, &Session::changed, this, &MemoryLink::onSession);
    connect(m_memory, &MemorySession::changed, this, &MemoryLink::onMemory);
}

void MemoryLink::align()
{
    m_alignment.reset(); // it belongs to the previous snapshot or trace
    const auto facts = m_memory->facts();
    const auto members = m_session->traces().loaded();
    if (!facts || members.empty()) {
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
        [facts, device, trace = members.front().trace,
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

std::vector<MemorySession::Step> MemoryLink::steps() const
{
    std::vector<MemorySession::Step> all;
    if (m_alignment && !m_session->traces().empty())
        for (const Step &step : m_session->traces().loaded().front().trace->steps)
            all.push_back({step.number, m_alignment->toUnix(step.span.begin), m_alignment->toUnix(step.span.end)});
    return all;
}

void MemoryLink::onSession(Session::Changes changes)
{
    if (changes & Session::AnyTraces)
        align();
    if (m_following || !m_alignment)
        return;
    const QScopedValueRollback guard(m_following, true);
    if (changes & Session::Hover)
        m_memory->setCursor(m_session->cursor() ? std::optional(unixOf(*m_session->cursor())) : std::nullopt);
    const SliceRef selected = m_session->selected();
    if (changes & Session::Selection && selected.valid() && selected.trace == m_session->traces().loaded().front().id)
        if (const auto slice = m_session->traces().loaded().front().trace->slice(selected.slice))
            setInstantAt(m_alignment->toUnix(slice->data.start));
}

void MemoryLink::onMemory(MemorySession::Changes changes)
{
    if (changes & (MemorySession::Snapshots | MemorySession::Place))
        align();
    if (m_following || !m_alignment)
        return;
    const QScopedValueRollback guard(m_following, true);
    if (changes & MemorySession::Cursor)
        m_session->setHover({}, m_memory->cursor() ? std::optional(setTimeOf(*m_memory->cursor())) : std::nullopt);
    if (changes & MemorySession::Instant && m_memory->instant() != MemorySession::kNone)
        if (const int64_t time = m_memory->snapshot()->events.time.at(m_memory->instant(), MemoryEventTable::kNoTime);
            time != MemoryEventTable::kNoTime)
            bringIntoSight(setTimeOf(time));
}

int64_t MemoryLink::unixOf(Ns setTime) const
{
    return m_alignment->toUnix(m_session->traces().loaded().front().time.toTrace(setTime));
}

Ns MemoryLink::setTimeOf(int64_t unixNs) const
{
    return m_session->traces().loaded().front().time.toSet(m_alignment->toTrace(unixNs));
}

/// Sets the instant to the last event of the device at or before a time.
void MemoryLink::setInstantAt(int64_t unixNs)
{
    if (m_times.any())
        m_memory->setInstant(m_times.lastAt(unixNs));
}

void MemoryLink::bringIntoSight(Ns setTime)
{
    const TimeSpan visible = m_session->visibleRange(), whole = m_session->wholeRange();
    if (visible.contains(setTime) || !whole.contains(setTime))
        return;
    const Ns half = visible.duration() / 2;
    m_session->goTo({saturatedSum(setTime, -half), saturatedSum(setTime, half)});
}

} // namespace riffle
