// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/memory_device_figures.h"

#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/memory/alive/memory_instant.h"
#include "model/analysis/memory/allocator/allocator_map.h"
#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/wrapping.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace riffle {

namespace {

using Unit = Check::Unit;

constexpr SnapshotFigure kFigures[] = {
    {"memory.peak", "the most bytes that were allocated at once", Unit::Bytes},
    {"memory.peak_active", "the same, plus bytes that were freed but waited for other streams", Unit::Bytes},
    {"memory.peak_reserved", "the most bytes that the allocator held", Unit::Bytes},
    {"memory.unknown", "the share of the bytes at the peak about which nothing is known (memory --by category)",
     Unit::Share},
    {"memory.inferred", "the share of the bytes at the peak whose category is inferred from the size alone",
     Unit::Share},
    {"memory.free", "the bytes in holes at the peak, which the allocator holds but nobody uses", Unit::Bytes},
    {"memory.fragmentation", "1 - largest hole / all holes, at the peak", Unit::Share},
    {"memory.begin", "the bytes allocated before the first event", Unit::Bytes},
    {"memory.end", "the bytes allocated at the end", Unit::Bytes},
    {"memory.growth", "memory.end - memory.begin", Unit::Bytes},
    {"memory.end_reserved", "the bytes that the allocator holds at the end", Unit::Bytes},
    {"memory.oom", "the number of allocations that failed", Unit::Number},
};

/// True for the figures that the final state alone tells.
bool isOfEnd(std::string_view figure) { return figure == "memory.end" || figure == "memory.end_reserved"; }

std::optional<double> levelOf(const DeviceReplay &device, std::string_view figure)
{
    if (figure == "memory.peak")
        return static_cast<double>(device.peak.allocated);
    if (figure == "memory.peak_active")
        return static_cast<double>(device.peak.active);
    if (figure == "memory.peak_reserved")
        return static_cast<double>(device.peak.reserved);
    if (figure == "memory.begin")
        return static_cast<double>(device.atBegin.allocated);
    if (figure == "memory.end")
        return static_cast<double>(device.atEnd.allocated);
    if (figure == "memory.end_reserved")
        return static_cast<double>(device.atEnd.reserved);
    if (figure == "memory.growth")
        return static_cast<double>(device.atEnd.allocated) - static_cast<double>(device.atBegin.allocated);
    return std::nullopt;
}

} // namespace

std::span<const SnapshotFigure> snapshotFigures() { return kFigures; }

const MemoryDeviceFigures::Shares &MemoryDeviceFigures::sharesAtPeak(uint32_t device)
{
    if (const auto known = m_shares.find(device); known != m_shares.end())
        return known->second;
    if (!m_categories)
        m_categories.emplace(m_facts, MemoryRules::builtIn());
    const DeviceReplay &replay = m_facts.replay().devices[device];
    const MemoryInstant peak = memoryInstant(m_facts, device, replay.peakAllocatedEvent);
    int64_t total = 0, unknown = 0, inferred = 0; // damaged files can contain any size
    for (const uint32_t row : peak.rows) {
        const int64_t size = replay.allocations.size(m_facts.snapshot(), row);
        const MemoryCategories::Verdict &verdict = m_categories->verdicts()[m_categories->verdict(device, row)];
        addWrapping(total, size);
        addWrapping(verdict.unknown ? unknown : inferred, verdict.unknown || verdict.inferred ? size : 0);
    }
    return m_shares.emplace(device, Shares{ratio(unknown, total), ratio(inferred, total)}).first->second;
}

const AllocatorFigures &MemoryDeviceFigures::allocatorAtPeak(uint32_t device)
{
    if (const auto known = m_atPeak.find(device); known != m_atPeak.end())
        return known->second;
    const uint32_t peak = m_facts.replay().devices[device].peakAllocatedEvent;
    return m_atPeak.emplace(device, AllocatorMap(m_facts, device, {}).after(peak).figures).first->second;
}

MemoryDeviceFigures::Value MemoryDeviceFigures::holesAtPeak(uint32_t device, bool fragmentation)
{
    const AllocatorFigures &figures = allocatorAtPeak(device);
    if (figures.reserved == 0)
        return {{}, "No segments are recorded at the peak.", m_facts.replay().devices[device].peak.active == 0};
    return {fragmentation ? figures.fragmentation() : static_cast<double>(figures.free), {}};
}

MemoryDeviceFigures::Value MemoryDeviceFigures::of(uint32_t device, std::string_view figure)
{
    assert(std::ranges::any_of(kFigures, [&](const SnapshotFigure &one) { return figure == one.name; }));
    const MemorySnapshot &snapshot = m_facts.snapshot();
    const DeviceReplay &replay = m_facts.replay().devices[device];
    // If another device has a history, the recorder was on, and nothing happened on a device without events.
    if (snapshot.events.count() == 0 && !isOfEnd(figure))
        return {{}, missingHistory(snapshot).text};
    // Histories are followed back from the final state, so a loss anywhere can change every figure of every device.
    if (!snapshot.whole)
        return {{}, "The file is cut off, so this figure is not known."};
    if (const auto level = levelOf(replay, figure))
        return {level, {}};
    if (figure == "memory.free" || figure == "memory.fragmentation")
        return holesAtPeak(device, figure == "memory.fragmentation");
    if (figure == "memory.oom") {
        const auto actions = snapshot.events.action.slice(replay.firstEvent, replay.events);
        return {static_cast<double>(std::count(actions.begin(), actions.end(), MemoryAction::OutOfMemory)), {}};
    }
    const Shares &shares = sharesAtPeak(device);
    const double share = figure == "memory.unknown" ? shares.unknown : shares.inferred;
    return std::isnan(share) ? Value{{}, "Nothing is allocated at the peak.", true} : Value{share, {}};
}

} // namespace riffle
