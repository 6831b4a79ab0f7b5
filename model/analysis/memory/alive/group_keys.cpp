// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/group_keys.h"

#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/memory_info.h"
#include "model/base/ids.h"
#include "model/base/seeded_hash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <map>

namespace riffle {

namespace {

constexpr uint32_t kLeastShift = 9; // 512 bytes, the multiple that the allocator rounds up to

/// Snapshots list segments and blocks by address, so they usually are in order.
template <typename Key>
void sortUnlessSorted(std::vector<uint32_t> &rows, const Key &key)
{
    if (!std::ranges::is_sorted(rows, {}, key))
        std::ranges::sort(rows, {}, key);
}

} // namespace

GroupKeys::GroupKeys(const SnapshotFacts &facts, MemoryGrouping by)
    : m_facts(facts)
    , m_by(by)
    , m_streams(facts.snapshot().streams)
{
    const MemorySnapshot &snapshot = facts.snapshot();
    if (by == MemoryGrouping::Stream || by == MemoryGrouping::Pool)
        readSegments();
    switch (by) {
    case MemoryGrouping::Stream: m_count = static_cast<uint32_t>(m_streams.size()) + 1; break;
    case MemoryGrouping::Pool: m_count = static_cast<uint32_t>(snapshot.pools.size()) + 1; break;
    case MemoryGrouping::Size: m_count = 64; break;
    case MemoryGrouping::Metadata:
        for (const uint32_t text : snapshot.events.metadata)
            if (m_metadata.empty() || m_metadata.back() != text) // consecutive events usually share a text
                m_metadata.push_back(text);
        std::sort(m_metadata.begin(), m_metadata.end());
        m_metadata.erase(std::unique(m_metadata.begin(), m_metadata.end()), m_metadata.end());
        std::erase_if(m_metadata, [&](uint32_t text) { return snapshot.string(text).empty(); });
        for (uint32_t device = 0; device < facts.replay().devices.size(); ++device)
            readAnnotations(device);
        m_count = static_cast<uint32_t>(m_metadata.size() + m_annotations.size()) + 1;
        break;
    default: m_count = static_cast<uint32_t>(facts.replay().devices.size()); break;
    }
}

void GroupKeys::readSegments()
{
    const MemorySnapshot &snapshot = m_facts.snapshot();
    std::map<int64_t, uint32_t> known;
    for (uint32_t stream = 0; stream < m_streams.size(); ++stream)
        known.try_emplace(m_streams[stream], stream);
    for (uint32_t segment = 0; segment < snapshot.segments.size(); ++segment) {
        const auto [at, isNew] =
            known.try_emplace(snapshot.segments[segment].stream, static_cast<uint32_t>(m_streams.size()));
        if (isNew)
            m_streams.push_back(at->first);
        m_streamOfSegment.push_back(at->second);
        if (snapshot.segments[segment].blocks > 0)
            m_byBlock.push_back(segment);
    }
    sortUnlessSorted(m_byBlock, [&](uint32_t segment) { return snapshot.segments[segment].firstBlock; });
    if (m_by == MemoryGrouping::Stream) // needs no addresses
        return;
    for (const DeviceReplay &device : m_facts.replay().devices) {
        std::vector<uint32_t> &mine = m_byAddress.emplace_back();
        for (uint32_t segment = 0; segment < snapshot.segments.size(); ++segment)
            if (snapshot.segments[segment].device == device.device && snapshot.segments[segment].host == device.host)
                mine.push_back(segment);
        sortUnlessSorted(mine, [&](uint32_t segment) { return snapshot.segments[segment].address; });
    }
}

uint32_t GroupKeys::segmentOf(const MemoryAllocations &all, uint32_t row) const
{
    const std::vector<MemorySegment> &segments = m_facts.snapshot().segments;
    const uint32_t block = all.block[row];
    if (block == kNoRow)
        return kNoRow;
    const auto behind = std::partition_point(m_byBlock.begin(), m_byBlock.end(),
                                             [&](uint32_t segment) { return segments[segment].firstBlock <= block; });
    return behind == m_byBlock.begin() ? kNoRow : *(behind - 1);
}

uint32_t GroupKeys::streamOf(const MemoryAllocations &all, uint32_t row) const
{
    if (const auto stream = all.stream(m_facts.snapshot(), row))
        return *stream;
    const uint32_t segment = segmentOf(all, row);
    return segment == kNoRow ? m_count - 1 : m_streamOfSegment[segment];
}

uint32_t GroupKeys::poolOf(uint32_t device, const MemoryAllocations &all, uint32_t row) const
{
    const MemorySnapshot &snapshot = m_facts.snapshot();
    if (const uint32_t segment = segmentOf(all, row); segment != kNoRow)
        return snapshot.segments[segment].pool;
    const uint32_t event = all.begin[row] != kNoRow   ? all.begin[row]
                           : all.freed[row] != kNoRow ? all.freed[row]
                                                      : all.end[row];
    if (!snapshot.events.pool.empty() && event != kNoRow)
        return snapshot.events.pool[event];
    const uint64_t address = all.address(snapshot, row);
    const std::vector<uint32_t> &mine = m_byAddress[device];
    const auto behind = std::partition_point(
        mine.begin(), mine.end(), [&](uint32_t segment) { return snapshot.segments[segment].address <= address; });
    if (behind == mine.begin())
        return m_count - 1;
    const MemorySegment &segment = snapshot.segments[*(behind - 1)];
    return segment.total > 0 && address - segment.address < static_cast<uint64_t>(segment.total) ? segment.pool
                                                                                                 : m_count - 1;
}

/// Finds the allocations that the program annotated after it had allocated them. Their text is that of the allocation
/// and those of the annotations, in order.
void GroupKeys::readAnnotations(uint32_t device)
{
    constexpr size_t kLongest = 1000; // bytes; a loop may annotate the same memory again and again
    const MemorySnapshot &snapshot = m_facts.snapshot();
    const MemoryEventTable &events = snapshot.events;
    const DeviceReplay &replay = m_facts.replay().devices[device];
    SeededMap<uint64_t, std::vector<uint32_t>> byAddress;
    for (uint32_t event = replay.firstEvent; event < replay.firstEvent + replay.events; ++event)
        if (events.action[event] == MemoryAction::Annotate && !snapshot.string(events.metadata.at(event, 0)).empty())
            byAddress[events.address[event]].push_back(event);
    if (byAddress.empty())
        return;
    std::map<std::string, uint32_t> known;
    for (uint32_t at = 0; at < m_annotations.size(); ++at)
        known.emplace(m_annotations[at], at);
    const MemoryAllocations &all = replay.allocations;
    for (uint32_t row = 0; row < all.count(); ++row) {
        const auto found = byAddress.find(all.address(snapshot, row));
        if (found == byAddress.end())
            continue;
        const uint32_t begin = all.begin[row];
        std::string text(begin != kNoRow && events.action[begin] == MemoryAction::Alloc
                             ? snapshot.string(events.metadata.at(begin, 0))
                             : std::string_view());
        bool annotated = false;
        auto event = begin == kNoRow ? found->second.begin()
                                     : std::upper_bound(found->second.begin(), found->second.end(), begin);
        for (uint32_t last = 0; event != found->second.end() && *event < all.end[row]; ++event) {
            annotated = true;
            const uint32_t next = events.metadata[*event];
            if (next != last && text.size() < kLongest)
                text.append(text.empty() ? "" : "; ").append(snapshot.string(next));
            last = next;
        }
        if (!annotated)
            continue;
        const auto [at, isNew] = known.try_emplace(text, static_cast<uint32_t>(m_annotations.size()));
        if (isNew)
            m_annotations.push_back(text);
        m_annotated.emplace(uint64_t(device) << 32 | row, at->second);
    }
}

uint32_t GroupKeys::metadataOf(uint32_t device, const MemoryAllocations &all, uint32_t row) const
{
    if (const auto annotated = m_annotated.find(uint64_t(device) << 32 | row); annotated != m_annotated.end())
        return static_cast<uint32_t>(m_metadata.size()) + annotated->second;
    const MemoryEventTable &events = m_facts.snapshot().events;
    const uint32_t begin = all.begin[row];
    if (begin == kNoRow || events.action[begin] != MemoryAction::Alloc)
        return m_count - 1;
    const uint32_t text = events.metadata.at(begin, 0);
    const auto at = std::lower_bound(m_metadata.begin(), m_metadata.end(), text);
    return at == m_metadata.end() || *at != text ? m_count - 1 : static_cast<uint32_t>(at - m_metadata.begin());
}

uint32_t GroupKeys::sizeOf(const MemoryAllocations &all, uint32_t row) const
{
    const auto size = static_cast<uint64_t>(std::max<int64_t>(all.size(m_facts.snapshot(), row), 1));
    return std::max(kLeastShift, static_cast<uint32_t>(std::bit_width(size - 1)));
}

uint32_t GroupKeys::of(uint32_t device, uint32_t row) const
{
    assert(device < m_facts.replay().devices.size());
    const MemoryAllocations &all = m_facts.replay().devices[device].allocations;
    assert(row < all.count());
    switch (m_by) {
    case MemoryGrouping::Stream: return streamOf(all, row);
    case MemoryGrouping::Pool: return poolOf(device, all, row);
    case MemoryGrouping::Size: return sizeOf(all, row);
    case MemoryGrouping::Metadata: return metadataOf(device, all, row);
    default: return device;
    }
}

bool GroupKeys::isUnknown(uint32_t key) const
{
    return (m_by == MemoryGrouping::Stream || m_by == MemoryGrouping::Pool || m_by == MemoryGrouping::Metadata) &&
           key == m_count - 1;
}

std::string GroupKeys::name(uint32_t key) const
{
    assert(key < m_count);
    if (isUnknown(key))
        return m_by == MemoryGrouping::Metadata ? "(none recorded)" : "unknown";
    if (m_by == MemoryGrouping::Metadata)
        return key < m_metadata.size() ? std::string(m_facts.snapshot().string(m_metadata[key]))
                                       : m_annotations[key - m_metadata.size()];
    if (m_by == MemoryGrouping::Stream)
        return memoryStreamName(m_streams[key]);
    if (m_by == MemoryGrouping::Pool)
        return memoryPoolName(m_facts.snapshot(), key);
    if (m_by == MemoryGrouping::Size) {
        static constexpr std::array<const char *, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
        return "up to " + std::to_string(uint64_t(1) << key % 10) + " " + kUnits[key / 10];
    }
    return memoryDeviceName(m_facts.replay().devices[key]);
}

} // namespace riffle
