// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/events/memory_events.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace riffle {

/// The events of a device that pass a filter. Cells become text when they are painted, so that millions of rows cost
/// nothing.
class EventRowModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Field { Number, Time, Action, Address, Size, Stream, Pool, Device, Frame, FieldCount };

    using QAbstractTableModel::QAbstractTableModel;

    /// `events`: rows of MemorySnapshot::events, ascending. No facts: nothing is shown.
    void setEvents(std::shared_ptr<const SnapshotFacts> facts, size_t device, std::vector<uint32_t> events);
    uint32_t event(int row) const { return m_events[static_cast<size_t>(row)]; }
    /// The row of an event, or of the next one that is shown; -1 where there is none.
    int rowAt(uint32_t event) const;
    QString text(uint32_t event, Field field) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const DeviceReplay &device() const { return m_facts->replay().devices[m_device]; }

    std::shared_ptr<const SnapshotFacts> m_facts;
    size_t m_device = 0;
    std::vector<uint32_t> m_events;
};

} // namespace riffle
