// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/allocator/allocator_model.h"

#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/events/event_place.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace riffle {

namespace {

constexpr uint32_t kSamples = 4000;

QString translated(const char *text) { return QCoreApplication::translate("riffle::AllocatorModel", text); }

QString place(const SnapshotFacts &facts, uint32_t stack)
{
    return singleLine(toQString(eventPlaceText(facts.stacks(), stack)), 400);
}

} // namespace

AllocatorModel::AllocatorModel(MemorySession *memory, QObject *parent) : QObject(parent), m_memory(memory), m_jobs(this)
{
}

void AllocatorModel::follow()
{
    const auto facts = m_memory->facts();
    const size_t device = m_memory->place().device;
    if (facts == m_wantedFacts && device == m_wantedDevice) {
        makeState();
        return;
    }
    m_wantedFacts = facts;
    m_wantedDevice = device;
    m_map = nullptr;
    m_state = nullptr;
    m_series = nullptr;
    emit mapChanged();
    for (const char *key : {"map", "state", "series"})
        m_jobs.cancel(QString::fromLatin1(key));
    if (!m_memory->device())
        return;
    m_jobs.run(
        QStringLiteral("map"),
        [facts, device](std::stop_token stop) {
            facts->stacks(); // computed now, so that their texts are later available without delay
            const std::shared_ptr<const Mapped> mapped(
                new Mapped{facts, AllocatorMap(*facts, static_cast<uint32_t>(device), Task{std::move(stop), nullptr})});
            mapped->map.recordedSums(); // now, too
            return mapped;
        },
        [this](std::shared_ptr<const Mapped> map) {
            m_map = std::move(map);
            emit mapChanged();
            makeState();
            m_jobs.run(
                QStringLiteral("series"),
                [map = m_map](std::stop_token stop) {
                    return std::make_shared<const AllocatorSeries>(
                        allocatorSeries(map->map, kSamples, Task{std::move(stop), nullptr}));
                },
                [this](std::shared_ptr<const AllocatorSeries> series) {
                    m_series = std::move(series);
                    emit seriesChanged();
                });
        });
}

/// Computes the state at the instant. A new job starts only after the running one has ended, so that the user sees
/// intermediate states while scrubbing.
void AllocatorModel::makeState()
{
    const uint32_t event = m_memory->instant();
    if (!m_map || m_jobs.running(QStringLiteral("state")) || (m_state && m_state->event == event))
        return;
    m_jobs.run(
        QStringLiteral("state"),
        [map = m_map, event](std::stop_token) { return std::make_shared<const AllocatorState>(map->map.after(event)); },
        [this](std::shared_ptr<const AllocatorState> state) {
            m_state = std::move(state);
            emit stateChanged();
            QMetaObject::invokeMethod(
                this, [this] { makeState(); }, Qt::QueuedConnection);
        });
}

uint32_t AllocatorModel::slotOf(uint32_t event) const
{
    return !map() || event == MemorySession::kNone || event < map()->device().firstEvent
               ? 0
               : event - map()->device().firstEvent + 1;
}

uint32_t AllocatorModel::eventOf(uint32_t slot) const
{
    return slot == 0 || !map() ? MemorySession::kNone : map()->device().firstEvent + slot - 1;
}

MappedRange AllocatorModel::eventRange() const
{
    MappedRange range;
    if (!map() || !m_state || m_state->event == MemorySession::kNone)
        return range;
    const MemoryEventTable &events = map()->snapshot().events;
    const MemoryAction action = events.action[m_state->event];
    if (action == MemoryAction::Snapshot || action == MemoryAction::OutOfMemory || action == MemoryAction::Other)
        return range;
    range.address = events.address[m_state->event];
    range.size = static_cast<uint64_t>(std::max<int64_t>(0, events.size[m_state->event]));
    return range;
}

QString allocatorEventText(const AllocatorMap &map, const SnapshotFacts &facts, uint32_t event)
{
    if (event == MemorySession::kNone)
        return translated("before the history");
    const MemorySnapshot &snapshot = map.snapshot();
    const MemoryAction action = snapshot.events.action[event];
    const uint64_t size = static_cast<uint64_t>(std::max<int64_t>(0, snapshot.events.size[event]));
    QString text = toQString(memoryActionWord(action));
    if (action == MemoryAction::OutOfMemory)
        text += translated(": %1 requested, %2 free on the device")
                    .arg(bytesText(size), snapshot.events.address[event] == MemoryEventTable::kNotRecorded
                                              ? translated("an unknown amount")
                                              : bytesText(snapshot.events.address[event]));
    else if (action != MemoryAction::Snapshot)
        text +=
            translated(" of %1 at %2").arg(bytesText(size), toQString(memoryAddress(snapshot.events.address[event])));
    const uint16_t stream = snapshot.events.stream.at(event, 0);
    if (stream < snapshot.streams.size() && snapshot.streams[stream] != 0)
        text += QStringLiteral(", ") + toQString(memoryStreamName(snapshot.streams[stream]));
    const QString where = place(facts, snapshot.events.stack.at(event, 0));
    return where.isEmpty() ? text : text + QStringLiteral("  ·  ") + where;
}

QString allocatorPieceText(const AllocatorMap &map, const SnapshotFacts &facts, const AllocatorState &state,
                           const AllocatorPiece &piece)
{
    QStringList lines;
    if (piece.state == AllocatorPiece::State::Free) {
        lines << translated("Free: %1").arg(bytesText(piece.size));
    } else {
        lines << (piece.state == AllocatorPiece::State::Pending ? translated("Freed, waiting for other streams: %1")
                                                                : translated("In use: %1"))
                     .arg(bytesText(piece.requested));
        lines << (piece.guessed ? translated("Block of about %1 (size not recorded)") : translated("Block of %1"))
                     .arg(bytesText(piece.size));
    }
    lines << toQString(memoryAddress(piece.address));
    if (piece.segment != AllocatorPiece::kNone) {
        const MappedRange &range = state.segments[piece.segment].range;
        lines << translated("in a segment of %1 at %2, %3, %4")
                     .arg(bytesText(range.size), toQString(memoryAddress(range.address)),
                          toQString(memoryStreamName(range.stream)),
                          toQString(memoryPoolName(map.snapshot(), range.pool)));
    }
    if (piece.allocation != AllocatorPiece::kNone)
        if (const AllocationStack stack = allocationStack(map.snapshot(), map.device().allocations, piece.allocation);
            stack.stack != 0)
            lines << toQString(stack.titled(place(facts, stack.stack).toStdString()));
    return lines.join(QLatin1Char('\n'));
}

} // namespace riffle
