// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/analysis/slice/stack_of.h"

#include <QString>

#include <utility>
#include <vector>

namespace riffle {

class MemoryCategories;

/// What people are told about one allocation of a device.
class AllocationText {
public:
    /// `row`: of the device's allocations. Both must outlive this.
    AllocationText(const MemorySnapshot &snapshot, const DeviceReplay &device, uint32_t row);

    /// Name and text of each property, in order: size, address, stream, pool, lifetime, …
    QList<std::pair<QString, QString>> properties() const;
    QString size() const;
    /// Index in MemorySnapshot::pools, or -1 where nothing tells.
    int pool() const;
    QString stream() const;

private:
    QString moment(uint32_t event) const;
    QString lifetime() const;
    const MemorySegment *segment() const;

    const MemorySnapshot &m_snapshot;
    const DeviceReplay &m_device;
    uint32_t m_row;
};

/// "activation (guessed: made in a forward pass and still there)"; empty where the snapshot says it itself, which is
/// among the properties. `rulesFile`: the file that the rules stand in; empty: they are the ones of this program.
QString categoryText(const MemoryCategories &categories, size_t device, uint32_t row, const QString &rulesFile);
/// The frames of a stack, innermost first.
std::vector<StackFrame> framesOf(const MemorySnapshot &snapshot, uint32_t stack);
/// Of an event relative to the first one with a time: "1.234 ms"; empty when it has none.
QString eventTime(const MemorySnapshot &snapshot, const DeviceReplay &device, uint32_t event);
QString hexAddress(uint64_t address);

} // namespace riffle
