// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/events/memory_events.h"
#include "model/base/big_vector.h"

#include <QAbstractTableModel>

#include <cassert>
#include <memory>

namespace riffle {

/// The events of a device that pass a filter. Cells become text only when they are painted, so even millions of rows
/// cost little.
class EventRowModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Field { Number, Time, Action, Address, Size, Stream, Pool, Device, Frame, FieldCount };

    using QAbstractTableModel::QAbstractTableModel;

    /// `events`: ascending rows of MemorySnapshot::events. Without facts, nothing is shown.
    void setEvents(std::shared_ptr<const SnapshotFacts> facts, size_t device, BigVector<uint32_t> events);
    uint32_t event(int row) const
    {
        assert(row >= 0 && static_cast<size_t>(row) < m_events.size());
        return m_events[static_cast<size_t>(row)];
    }
    /// The row of an event, or of the next event that is shown; -1 if there is none.
    int rowAt(uint32_t event) const;
    QString text(uint32_t event, Field field) const;
    /// The snapshot that is shown, and its device (a row of replay().devices); null if nothing is shown.
    const std::shared_ptr<const SnapshotFacts> &facts() const { return m_facts; }
    size_t deviceRow() const { return m_device; }
    const BigVector<uint32_t> &events() const { return m_events; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const DeviceReplay &device() const { return m_facts->replay().devices[m_device]; }

    std::shared_ptr<const SnapshotFacts> m_facts;
    size_t m_device = 0;
    BigVector<uint32_t> m_events;
};

} // namespace riffle
