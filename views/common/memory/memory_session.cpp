// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/memory/memory_session.h"

#include "model/analysis/memory/memory_info.h"
#include "model/analysis/memory/snapshot_facts.h"

#include <QFileInfo>

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

/// The built-in rules live as long as the program.
std::shared_ptr<const MemoryRules> builtInRules() { return {std::shared_ptr<const void>(), &MemoryRules::builtIn()}; }

} // namespace

MemorySession::MemorySession(QObject *parent) : QObject(parent), m_rules(builtInRules()) {}

MemorySession::~MemorySession() = default;

std::shared_ptr<const SnapshotFacts> MemorySession::facts() const
{
    return m_at.snapshot < m_snapshots.size() ? m_snapshots[m_at.snapshot] : nullptr;
}

const DeviceReplay *MemorySession::device() const
{
    if (m_at.snapshot >= m_snapshots.size())
        return nullptr;
    const auto &devices = m_snapshots[m_at.snapshot]->replay().devices;
    return m_at.device < devices.size() ? &devices[m_at.device] : nullptr;
}

const MemorySnapshot *MemorySession::snapshot() const
{
    return m_at.snapshot < m_snapshots.size() ? &m_snapshots[m_at.snapshot]->snapshot() : nullptr;
}

uint32_t MemorySession::confined(uint32_t event) const
{
    const DeviceReplay *replay = device();
    if (event == kNone || !replay || replay->events == 0)
        return kNone;
    return std::clamp(event, replay->firstEvent, replay->firstEvent + (replay->events - 1));
}

MemorySession::Changes MemorySession::dropAll()
{
    Changes changes;
    const DeviceReplay *replay = device();
    const uint32_t instant = replay ? confined(replay->peakAllocatedEvent) : kNone;
    if (instant != m_instant)
        changes |= Instant;
    m_instant = instant;
    if (m_range)
        changes |= Range;
    m_range.reset();
    if (m_selected != kNone)
        changes |= Selection;
    m_selected = kNone;
    if (m_hovered != kNone)
        changes |= Hover;
    m_hovered = kNone;
    return changes;
}

void MemorySession::setSnapshots(SnapshotList snapshots)
{
    if (snapshots.empty() && m_snapshots.empty())
        return;
    assert(std::ranges::all_of(snapshots, [](const auto &facts) { return facts != nullptr; }));
    m_snapshots = std::move(snapshots);
    m_chosenTraces.clear();
    m_at = {};
    if (!m_snapshots.empty()) {
        const auto &devices = m_snapshots.front()->replay().devices;
        const auto better = [](const DeviceReplay &a, const DeviceReplay &b) {
            return a.host != b.host ? a.host : a.peak.allocated < b.peak.allocated;
        };
        if (!devices.empty())
            m_at.device =
                static_cast<size_t>(std::max_element(devices.begin(), devices.end(), better) - devices.begin());
    }
    emit changed(Changes(Snapshots | Place) | dropAll());
}

TraceId MemorySession::chosenTrace(size_t snapshot) const
{
    return snapshot < m_chosenTraces.size() ? m_chosenTraces[snapshot] : TraceId();
}

void MemorySession::setChosenTraces(std::vector<TraceId> traces)
{
    assert(traces.size() == m_snapshots.size());
    if (traces == m_chosenTraces)
        return;
    m_chosenTraces = std::move(traces);
    emit changed(Owner);
}

void MemorySession::setPlace(At at)
{
    if (at == m_at || at.snapshot >= m_snapshots.size() ||
        at.device >= std::max<size_t>(m_snapshots[at.snapshot]->replay().devices.size(), 1))
        return;
    m_at = at;
    emit changed(Changes(Place) | dropAll());
}

void MemorySession::setInstant(uint32_t event)
{
    event = confined(event);
    if (event == m_instant)
        return;
    m_instant = event;
    emit changed(Instant);
}

void MemorySession::setRange(std::optional<EventRange> range)
{
    if (range) {
        range =
            EventRange{confined(std::min(range->first, range->last)), confined(std::max(range->first, range->last))};
        if (range->first == kNone || range->last == kNone)
            range.reset();
    }
    if (range == m_range)
        return;
    m_range = range;
    emit changed(Range);
}

void MemorySession::select(uint32_t allocation)
{
    const DeviceReplay *replay = device();
    if (!replay || allocation >= replay->allocations.count())
        allocation = kNone;
    if (allocation == m_selected)
        return;
    m_selected = allocation;
    emit changed(Selection);
}

void MemorySession::setHovered(uint32_t allocation)
{
    const DeviceReplay *replay = device();
    if (!replay || allocation >= replay->allocations.count())
        allocation = kNone;
    if (allocation == m_hovered)
        return;
    m_hovered = allocation;
    emit changed(Hover);
}

void MemorySession::setCursor(std::optional<int64_t> unixNs)
{
    if (unixNs == m_cursor)
        return;
    m_cursor = unixNs;
    emit changed(Cursor);
}

void MemorySession::setSteps(std::vector<Step> steps)
{
    if (steps == m_steps)
        return;
    m_steps = std::move(steps);
    emit changed(Steps);
}

void MemorySession::setColour(Colour colour)
{
    if (colour == m_colour)
        return;
    m_colour = colour;
    emit changed(Colouring);
}

QString MemorySession::rulesName() const
{
    return m_rulesFile.isEmpty() ? tr("the built-in rules")
                                 : tr("the rules of %1").arg(QFileInfo(m_rulesFile).fileName());
}

void MemorySession::setRules(std::shared_ptr<const MemoryRules> rules, const QString &file)
{
    if (!rules || (rules == m_rules && file == m_rulesFile))
        return;
    m_rules = std::move(rules);
    m_rulesFile = file;
    emit changed(Rules);
}

void MemorySession::useBuiltInRules() { setRules(builtInRules(), {}); }

void MemorySession::setLoading(const QString &name)
{
    if (name == m_loading)
        return;
    m_loading = name;
    emit changed(Load);
}

void MemorySession::setTraceOpen(bool open)
{
    if (open == m_isTraceOpen)
        return;
    m_isTraceOpen = open;
    emit changed(Load);
}

EmptyState MemorySession::emptyState() const
{
    if (device())
        return {};
    EmptyFacts known;
    known.open = !empty();
    known.shows = "memory snapshot";
    if (m_isTraceOpen)
        known.other = "trace";
    known.loading = m_loading.toStdString();
    known.noneOccurred = "The snapshot contains no segments and no history."; // so it has no devices
    return riffle::emptyState(known);
}

EmptyState MemorySession::historyState() const
{
    if (!device() || device()->events > 0)
        return emptyState();
    return missingHistory(*snapshot());
}

bool MemorySession::escape()
{
    if (m_selected != kNone)
        select(kNone);
    else if (range())
        setRange(std::nullopt);
    else
        return false;
    return true;
}

} // namespace riffle
