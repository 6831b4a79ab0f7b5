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

/// The texts that describe one allocation of a device.
class AllocationText {
public:
    /// `row` is a row of the device's allocations. The snapshot and the device must outlive this object.
    AllocationText(const MemorySnapshot &snapshot, const DeviceReplay &device, uint32_t row);

    /// The name and the text of each property, in order: size, address, stream, pool, lifetime, …
    QList<std::pair<QString, QString>> properties() const;
    QString size() const;
    /// An index in MemorySnapshot::pools, or -1 if the pool is unknown.
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

/// "activation (guessed: allocated in a forward pass and never freed)"; empty if the snapshot itself records the
/// category, which is then among the properties. `rulesFile`: the file that contains the rules; empty for the built-in
/// rules.
QString categoryText(const MemoryCategories &categories, size_t device, uint32_t row, const QString &rulesFile);
/// The frames of a stack, innermost first.
std::vector<StackFrame> framesOf(const MemorySnapshot &snapshot, uint32_t stack);
/// The time of an event since the device's first event: "1.234 ms"; empty if either has no time.
QString eventTime(const MemorySnapshot &snapshot, const DeviceReplay &device, uint32_t event);
QString hexAddress(uint64_t address);

} // namespace riffle
