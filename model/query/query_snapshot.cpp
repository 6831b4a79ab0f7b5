// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/query_snapshot.h"

#include "model/analysis/memory/alive/memory_instant.h"
#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/query/query_table.h"
#include "model/trace/tables.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace riffle {

QuerySnapshot::QuerySnapshot(std::shared_ptr<const SnapshotFacts> facts, uint32_t index, bool isOneOfSeveral)
    : QueryFile(facts->snapshot().strings, index, index, isOneOfSeveral)
    , m_facts(std::move(facts))
    , m_origin(snapshotOrigin(m_facts->snapshot()))
    , m_firstAllocation{0}
{
    for (const DeviceReplay &device : devices())
        m_firstAllocation.push_back(m_firstAllocation.back() + device.allocations.count());
}

std::span<const QueryTable> QuerySnapshot::tables() const { return snapshotTables(); }

int64_t QuerySnapshot::sinceStart(int64_t unixNs) const
{
    int64_t since = 0;
    return unixNs == MemoryEventTable::kNoTime || m_origin == MemoryEventTable::kNoTime ||
                   __builtin_sub_overflow(unixNs, m_origin, &since)
               ? kNoInt
               : since;
}

uint32_t QuerySnapshot::deviceOfEvent(uint32_t event, uint32_t guess) const
{
    const auto has = [&](uint32_t device) { return event - devices()[device].firstEvent < devices()[device].events; };
    if (guess < devices().size() && has(guess))
        return guess;
    for (uint32_t device = 0; device < devices().size(); ++device)
        if (has(device))
            return device;
    return kNone;
}

uint32_t QuerySnapshot::deviceOfAllocation(uint32_t allocation, uint32_t guess) const
{
    assert(allocation < allocations());
    if (guess < devices().size() && allocation >= m_firstAllocation[guess] && allocation < m_firstAllocation[guess + 1])
        return guess;
    const auto behind = std::upper_bound(m_firstAllocation.begin(), m_firstAllocation.end(), allocation);
    return static_cast<uint32_t>(behind - m_firstAllocation.begin()) - 1;
}

uint32_t QuerySnapshot::allocationOfEvent(uint32_t device, uint32_t event) const
{
    if (m_ofEvents.empty())
        for (const DeviceReplay &one : devices())
            m_ofEvents.emplace_back(one);
    const uint32_t row = m_ofEvents[device].of(event);
    return row == MemoryAllocations::kNone ? kNone : m_firstAllocation[device] + row;
}

uint32_t QuerySnapshot::segmentOfBlock(uint32_t block) const
{
    if (block >= memory().blocks.size())
        return kNone;
    if (m_segments.empty()) {
        m_segments.assign(memory().blocks.size(), kNone);
        for (uint32_t segment = 0; segment < memory().segments.size(); ++segment) {
            const MemorySegment &one = memory().segments[segment];
            std::fill_n(m_segments.begin() + one.firstBlock, one.blocks, segment);
        }
    }
    return m_segments[block];
}

const std::vector<std::string> &QuerySnapshot::streamNames() const
{
    if (!m_streamNames.empty())
        return m_streamNames;
    std::map<int64_t, uint32_t> known;
    const auto add = [&](int64_t stream) {
        m_streamNames.push_back(memoryStreamName(stream));
        known.try_emplace(stream, static_cast<uint32_t>(m_streamNames.size()) - 1);
    };
    for (const int64_t stream : memory().streams)
        add(stream);
    for (const MemorySegment &segment : memory().segments) {
        if (!known.contains(segment.stream))
            add(segment.stream);
        m_streamsOfSegments.push_back(known[segment.stream]);
    }
    return m_streamNames;
}

uint32_t QuerySnapshot::streamOfSegment(uint32_t segment) const
{
    streamNames();
    return m_streamsOfSegments[segment];
}

const std::vector<std::string> &QuerySnapshot::poolNames() const
{
    if (m_poolNames.empty())
        for (uint32_t pool = 0; pool < memory().pools.size(); ++pool)
            m_poolNames.push_back(memoryPoolName(memory(), pool));
    return m_poolNames;
}

const QuerySnapshot::Named &QuerySnapshot::named(std::optional<Named> &known, MemoryGrouping by) const
{
    if (!known) {
        known.emplace(Named{GroupKeys(*m_facts, by), {}});
        for (uint32_t key = 0; key < known->keys.count() && !known->keys.isUnknown(key); ++key)
            known->names.push_back(known->keys.name(key));
    }
    return *known;
}

const MemoryCategories &QuerySnapshot::categories() const
{
    return m_categories ? *m_categories : m_categories.emplace(*m_facts, MemoryRules::builtIn());
}

const std::vector<std::string> &QuerySnapshot::categoryNames() const
{
    if (m_categoryNames.empty())
        for (const MemoryCategories::Verdict &verdict : categories().verdicts())
            m_categoryNames.push_back(verdict.category);
    return m_categoryNames;
}

const std::vector<std::string> &QuerySnapshot::ruleNames() const
{
    if (m_ruleNames.empty())
        for (const MemoryCategories::Verdict &verdict : categories().verdicts())
            m_ruleNames.push_back(verdict.rule);
    return m_ruleNames;
}

const SnapshotPlaces &QuerySnapshot::places() const { return m_places ? *m_places : m_places.emplace(*m_facts); }

} // namespace riffle
