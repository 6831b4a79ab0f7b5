// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/group_keys.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/memory/events/memory_events.h"
#include "model/analysis/memory/snapshot_facts.h"
#include "model/query/query_file.h"
#include "model/query/snapshot_places.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

/// One snapshot as queries see it, with data that is derived on first use. Used by one query at a time.
class QuerySnapshot final : public QueryFile {
public:
    QuerySnapshot(std::shared_ptr<const SnapshotFacts> facts, uint32_t index, bool isOneOfSeveral);

    std::span<const QueryTable> tables() const override;

    const MemorySnapshot &memory() const { return m_facts->snapshot(); }
    const SnapshotFacts &facts() const { return *m_facts; }
    const std::vector<DeviceReplay> &devices() const { return m_facts->replay().devices; }
    /// Converts a Unix time in ns to the time since the first event of any device. kNoInt if it was not recorded.
    int64_t sinceStart(int64_t unixNs) const;

    /// The device with this event; kNone if none has it. `guess` is tried first.
    uint32_t deviceOfEvent(uint32_t event, uint32_t guess) const;
    /// The allocations of all devices, one device after another.
    uint32_t allocations() const { return m_firstAllocation.back(); }
    uint32_t firstAllocation(uint32_t device) const { return m_firstAllocation[device]; }
    uint32_t deviceOfAllocation(uint32_t allocation, uint32_t guess) const;
    /// The number of the allocation to which an event belongs; kNone if it belongs to none.
    uint32_t allocationOfEvent(uint32_t device, uint32_t event) const;
    /// The segment of a block of the final state; kNone if there is no such block.
    uint32_t segmentOfBlock(uint32_t block) const;

    /// The names of the streams and pools. Streams that only segments have come after those of the events.
    const std::vector<std::string> &streamNames() const;
    const std::vector<std::string> &poolNames() const;
    uint32_t streamOfSegment(uint32_t segment) const;

    /// The names of keys, by key; without one for the key of what is unknown.
    struct Named {
        GroupKeys keys;
        std::vector<std::string> names;
    };
    const Named &streams() const { return named(m_streams, MemoryGrouping::Stream); }
    const Named &pools() const { return named(m_pools, MemoryGrouping::Pool); }
    const Named &metadata() const { return named(m_metadata, MemoryGrouping::Metadata); }
    const MemoryCategories &categories() const;
    /// The categories and the rules, in the order of the verdicts.
    const std::vector<std::string> &categoryNames() const;
    const std::vector<std::string> &ruleNames() const;
    const SnapshotPlaces &places() const;

    static constexpr uint32_t kNone = UINT32_MAX;

private:
    const Named &named(std::optional<Named> &known, MemoryGrouping by) const;

    std::shared_ptr<const SnapshotFacts> m_facts;
    int64_t m_origin;
    std::vector<uint32_t> m_firstAllocation; ///< per device, then the end
    mutable std::vector<EventAllocations> m_ofEvents;
    mutable std::vector<uint32_t> m_segments; ///< per block
    mutable std::vector<std::string> m_streamNames, m_poolNames;
    mutable std::vector<uint32_t> m_streamsOfSegments;
    mutable std::optional<Named> m_streams, m_pools, m_metadata;
    mutable std::optional<MemoryCategories> m_categories;
    mutable std::vector<std::string> m_categoryNames, m_ruleNames;
    mutable std::optional<SnapshotPlaces> m_places;
};

/// The snapshot behind a file of a query about snapshots.
inline const QuerySnapshot &snapshotOf(const QueryFile &file) { return static_cast<const QuerySnapshot &>(file); }

} // namespace riffle
