// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/base/seeded_hash.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// Maps each allocation to a key, which is a small number for its stream, pool, size, device or metadata, and each key
/// to a name.
class GroupKeys {
public:
    GroupKeys(const SnapshotFacts &facts, MemoryGrouping by);

    uint32_t count() const { return m_count; }
    uint32_t of(uint32_t device, uint32_t row) const;
    std::string name(uint32_t key) const;
    bool isUnknown(uint32_t key) const;

private:
    void readSegments();
    uint32_t streamOf(const MemoryAllocations &all, uint32_t row) const;
    uint32_t poolOf(uint32_t device, const MemoryAllocations &all, uint32_t row) const;
    uint32_t metadataOf(uint32_t device, const MemoryAllocations &all, uint32_t row) const;
    void readAnnotations(uint32_t device);
    uint32_t sizeOf(const MemoryAllocations &all, uint32_t row) const;
    /// The segment that contains the allocation in the final state; kNone if the allocation is not there at the end.
    uint32_t segmentOf(const MemoryAllocations &all, uint32_t row) const;

    const SnapshotFacts &m_facts;
    MemoryGrouping m_by;
    uint32_t m_count = 0;
    std::vector<int64_t> m_streams;                 ///< raw pointers, those of events first
    std::vector<uint32_t> m_metadata;               ///< ids of the metadata texts, ascending
    std::vector<std::string> m_annotations;         ///< the texts of allocations that were annotated later
    SeededMap<uint64_t, uint32_t> m_annotated;      ///< per device and allocation, its row of m_annotations
    std::vector<uint32_t> m_streamOfSegment;        ///< per segment, its row of m_streams
    std::vector<uint32_t> m_byBlock;                ///< segments that have blocks, sorted by their first block
    std::vector<std::vector<uint32_t>> m_byAddress; ///< per device, its segments by address
};

} // namespace riffle
