// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/memory_fill.h"

#include "model/analysis/findings/device_memory.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <limits>

namespace riffle {

MemoryFill::MemoryFill(const TraceFacts &facts)
{
    const MemoryTable &memory = facts.trace().memory;
    const auto properties = devicesOf(facts.trace().info);
    const std::vector<DeviceMemory> memories = deviceMemoryOf(facts.trace(), properties);
    const auto &devices = facts.work().devices;
    for (const DeviceWork::Device &device : devices) {
        Levels &levels = m_devices.emplace_back();
        const DeviceMemory *own = memoryOf(memories, device.number, devices.size());
        if (!own || own->total == kNoInt)
            continue;
        levels.memoryBytes = own->total;
        BigVector<int64_t> reserved;
        for (const uint32_t row : own->rows)
            if (memory.totalReserved[row] > 0) {
                throwIfStoppedAt(reserved.size());
                levels.time.push_back(memory.time[row]);
                reserved.push_back(memory.totalReserved[row]);
            }
        const size_t count = reserved.size();
        levels.largest.resize(2 * count);
        std::ranges::copy(reserved, levels.largest.begin() + static_cast<ptrdiff_t>(count));
        for (size_t node = count; node-- > 1;)
            levels.largest[node] = std::max(levels.largest[2 * node], levels.largest[2 * node + 1]);
    }
}

bool MemoryFill::isKnown() const
{
    return std::ranges::any_of(m_devices, [](const Levels &levels) { return !levels.time.empty(); });
}

double MemoryFill::largest(size_t device, TimeSpan span) const
{
    const Levels &levels = m_devices[device];
    const auto begin = levels.time.begin(), end = levels.time.end();
    const auto after = std::upper_bound(begin, end, span.begin);
    if (after == begin) // the level at the start of the span is unknown
        return std::numeric_limits<double>::quiet_NaN();
    const size_t count = levels.time.size();
    size_t first = static_cast<size_t>(after - begin) - 1 + count;
    size_t last = static_cast<size_t>(std::lower_bound(after, end, span.end) - begin) + count;
    int64_t most = 0;
    for (; first < last; first /= 2, last /= 2) {
        if (first % 2)
            most = std::max(most, levels.largest[first++]);
        if (last % 2)
            most = std::max(most, levels.largest[--last]);
    }
    return static_cast<double>(most) / static_cast<double>(levels.memoryBytes);
}

} // namespace riffle
