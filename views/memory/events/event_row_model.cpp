// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/events/event_row_model.h"

#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/events/event_place.h"
#include "model/analysis/memory/memory_info.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"
#include "views/memory/allocation/allocation_text.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace riffle {

void EventRowModel::setEvents(std::shared_ptr<const SnapshotFacts> facts, size_t device, BigVector<uint32_t> events)
{
    assert(!facts || device < facts->replay().devices.size());
    assert(std::is_sorted(events.begin(), events.end()));
    beginResetModel();
    m_facts = std::move(facts);
    m_device = device;
    m_events = std::move(events);
    endResetModel();
}

int EventRowModel::rowAt(uint32_t event) const
{
    const auto at = std::lower_bound(m_events.begin(), m_events.end(), event);
    return at == m_events.end() ? -1 : static_cast<int>(at - m_events.begin());
}

int EventRowModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_events.size());
}

int EventRowModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(FieldCount);
}

QString EventRowModel::text(uint32_t event, Field field) const
{
    const MemorySnapshot &snapshot = m_facts->snapshot();
    const MemoryEventTable &events = snapshot.events;
    const MemoryAction action = events.action[event];
    switch (field) {
    case Number: return toQString(formatCount(event - device().firstEvent));
    case Time: return eventTime(snapshot, device(), event);
    case Action: return toQString(memoryActionWord(action));
    case Address:
        if (action != MemoryAction::OutOfMemory)
            return hexAddress(events.address[event]);
        return events.address[event] == MemoryEventTable::kNotRecorded
                   ? QString()
                   : tr("%1 free").arg(toQString(
                         formatBytes(static_cast<int64_t>(std::min<uint64_t>(events.address[event], INT64_MAX)))));
    case Size: return toQString(formatBytes(events.size[event]));
    case Stream:
        return event < events.stream.size() && events.stream[event] < snapshot.streams.size()
                   ? toQString(memoryStreamName(snapshot.streams[events.stream[event]]))
                   : QString();
    case Pool: return event < events.pool.size() ? toQString(memoryPoolName(snapshot, events.pool[event])) : QString();
    case Device: return toQString(memoryDeviceName(device()));
    case Frame:
        return event < events.stack.size()
                   ? singleLine(toQString(eventPlaceText(m_facts->stacks(), events.stack[event])), 400)
                   : QString();
    case FieldCount: break;
    }
    return {};
}

QVariant EventRowModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || !m_facts)
        return {};
    const auto field = static_cast<Field>(index.column());
    const uint32_t row = event(index.row());
    if (role == Qt::DisplayRole)
        return text(row, field);
    if (role == Qt::TextAlignmentRole)
        return int((field == Number || field == Time || field == Size ? Qt::AlignRight : Qt::AlignLeft) |
                   Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && field == Size)
        return toQString(formatCount(m_facts->snapshot().events.size[row])) + QStringLiteral(" B");
    if (role == Qt::ToolTipRole && field == Frame)
        return text(row, field);
    return {};
}

QVariant EventRowModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Number || section == Time || section == Size ? Qt::AlignRight : Qt::AlignLeft) |
                   Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString titles[] = {tr("Event"),  tr("Time"), tr("Action"), tr("Address"), tr("Size"),
                              tr("Stream"), tr("Pool"), tr("Device"), tr("Where")};
    return section < FieldCount ? titles[section] : QString();
}

} // namespace riffle
