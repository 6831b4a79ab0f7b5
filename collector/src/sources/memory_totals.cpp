// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/memory_totals.h"

namespace riffle::collector {

void MemoryTotals::allocated(int64_t device, uint64_t address, int64_t bytes)
{
    if (m_live.size() < kMost && m_live.emplace(address, bytes).second)
        m_devices[device].direct += bytes;
}

int64_t MemoryTotals::freed(int64_t device, uint64_t address)
{
    const auto found = m_live.extract(address);
    if (found.empty())
        return 0;
    m_devices[device].direct -= found.mapped();
    return found.mapped();
}

void MemoryTotals::pool(int64_t device, uint64_t address, int64_t size, int64_t used)
{
    Bytes &known = m_pools[address];
    Bytes &all = m_devices[device].pools;
    all.allocated += used - known.allocated;
    all.reserved += size - known.reserved;
    known = {used, size};
    if (size == 0)
        m_pools.erase(address);
}

MemoryTotals::Bytes MemoryTotals::of(int64_t device) const
{
    const auto found = m_devices.find(device);
    if (found == m_devices.end())
        return {};
    const Device &of = found->second;
    return {of.direct + of.pools.allocated, of.direct + of.pools.reserved};
}

void MemoryTotals::clear()
{
    m_devices.clear();
    m_live.clear();
    m_pools.clear();
}

} // namespace riffle::collector
