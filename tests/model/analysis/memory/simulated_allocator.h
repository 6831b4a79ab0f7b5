// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/model/analysis/memory/small_snapshot.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

namespace riffle::test {

/// A simulated allocator: segments from cudaMalloc on several streams and in several pools, expandable segments whose
/// pages of 16 KiB are mapped and unmapped, blocks in multiples of 512 bytes, and frees that wait. It knows its state
/// after each of its events.
class SimulatedAllocator {
public:
    static constexpr uint64_t kPage = 16384;
    static constexpr uint64_t kAreaPages = 64;

    struct Block {
        uint64_t size, requested;
        bool pending;
        bool operator==(const Block &) const = default;
    };
    struct Segment {
        uint64_t size;
        int64_t stream;
        uint32_t pool;
        bool expandable;
        bool operator==(const Segment &) const = default;
    };
    struct State {
        std::map<uint64_t, Segment> segments;
        std::map<uint64_t, Block> blocks;
    };

    explicit SimulatedAllocator(uint64_t seed) : m_random(seed) {}

    void run(size_t events)
    {
        states.push_back(snapshotOfNow());
        while (m_events.size() < events)
            step();
    }

    /// The history from an event on, with the final state.
    MemorySnapshot recordedFrom(size_t cut) const
    {
        SmallSnapshot small;
        std::vector<uint16_t> streams;
        std::vector<uint32_t> pools;
        for (size_t at = cut; at < m_events.size(); ++at) {
            const Event &event = m_events[at];
            small.add(event.action, event.address, event.size);
            streams.push_back(event.stream);
            pools.push_back(event.pool);
        }
        const State &end = states.back();
        for (const auto &[address, segment] : end.segments) {
            std::vector<MemoryBlock> blocks;
            for (auto block = end.blocks.lower_bound(address);
                 block != end.blocks.end() && block->first < address + segment.size; ++block)
                blocks.push_back({block->first, static_cast<int64_t>(block->second.size),
                                  static_cast<int64_t>(block->second.requested), 0,
                                  block->second.pending ? BlockState::PendingFree : BlockState::Allocated});
            small.segment(0, static_cast<int64_t>(segment.size), blocks);
        }
        MemorySnapshot snapshot = small.take();
        size_t row = 0;
        for (const auto &[address, segment] : end.segments) {
            MemorySegment &made = snapshot.segments[row++];
            made.address = address;
            made.stream = segment.stream;
            made.pool = segment.pool;
            made.expandable = segment.expandable;
        }
        snapshot.streams = {0, 7000, 8000};
        snapshot.pools = {{0, 0}, {0, 1}};
        const auto owned = std::make_shared<std::pair<std::vector<uint16_t>, std::vector<uint32_t>>>(std::move(streams),
                                                                                                     std::move(pools));
        snapshot.events.stream = Column<uint16_t>(owned, owned->first.data(), owned->first.size());
        snapshot.events.pool = Column<uint32_t>(owned, owned->second.data(), owned->second.size());
        return snapshot;
    }

    std::vector<State> states; ///< before the first event, after it, after the second …

private:
    struct Event {
        MemoryAction action;
        uint64_t address;
        int64_t size;
        uint16_t stream;
        uint32_t pool;
    };
    struct Fixed {
        uint64_t size;
        uint16_t stream;
        uint32_t pool;
    };
    static constexpr int64_t kStreams[] = {0, 7000, 8000};
    static constexpr uint64_t kArea = 0x7000'0000;

    uint64_t below(uint64_t end) { return m_random() % end; }

    /// The start of an expandable area: one per stream and pool, far from each other.
    static uint64_t areaOf(uint16_t stream, uint32_t pool)
    {
        return kArea + (stream * 2 + pool) * kAreaPages * kPage * 2;
    }

    State snapshotOfNow() const
    {
        State now;
        now.blocks = m_blocks;
        for (const auto &[address, fixed] : m_fixed)
            now.segments[address] = {fixed.size, kStreams[fixed.stream], fixed.pool, false};
        for (auto page = m_pages.begin(); page != m_pages.end();) {
            const uint64_t begin = *page;
            uint64_t end = begin;
            const uint64_t area = (begin - kArea) / (kAreaPages * kPage * 2);
            while (page != m_pages.end() && *page == end) {
                end += kPage;
                ++page;
            }
            now.segments[begin] = {end - begin, kStreams[area / 2], static_cast<uint32_t>(area % 2), true};
        }
        return now;
    }

    void record(MemoryAction action, uint64_t address, uint64_t size, uint16_t stream, uint32_t pool)
    {
        m_events.push_back({action, address, static_cast<int64_t>(size), stream, pool});
        states.push_back(snapshotOfNow());
    }

    bool isEmpty(uint64_t address, uint64_t size) const
    {
        const auto next = m_blocks.lower_bound(address);
        return (next == m_blocks.end() || next->first >= address + size) &&
               (next == m_blocks.begin() || std::prev(next)->first + std::prev(next)->second.size <= address);
    }

    void step()
    {
        const auto stream = static_cast<uint16_t>(below(3));
        const auto pool = static_cast<uint32_t>(below(2));
        switch (below(10)) {
        case 0: { // a segment, sometimes directly after another one
            const uint64_t size = 4096 * (1 + below(8));
            const uint64_t address = m_next += below(2) ? 0 : 4096;
            m_next += size;
            m_fixed[address] = {size, stream, pool};
            record(MemoryAction::SegmentAlloc, address, size, stream, pool);
            break;
        }
        case 1: { // an empty segment is freed
            for (const auto &[address, fixed] : m_fixed) {
                if (isEmpty(address, fixed.size) && below(2)) {
                    const Fixed gone = fixed;
                    const uint64_t at = address;
                    m_fixed.erase(at);
                    record(MemoryAction::SegmentFree, at, gone.size, gone.stream, gone.pool);
                    break;
                }
            }
            break;
        }
        case 2: { // some pages are mapped
            const uint64_t first = areaOf(stream, pool) + below(kAreaPages) * kPage;
            uint64_t pages = 0;
            while (pages < 4 && first + (pages + 1) * kPage <= areaOf(stream, pool) + kAreaPages * kPage &&
                   !m_pages.contains(first + pages * kPage))
                m_pages.insert(first + pages++ * kPage);
            if (pages)
                record(MemoryAction::SegmentMap, first, pages * kPage, stream, pool);
            break;
        }
        case 3: { // some are unmapped: at the start, middle or end of a mapped range
            const uint64_t first = areaOf(stream, pool) + below(kAreaPages) * kPage;
            uint64_t pages = 0;
            while (pages < 3 && m_pages.contains(first + pages * kPage) && isEmpty(first + pages * kPage, kPage))
                m_pages.erase(first + pages++ * kPage);
            if (pages)
                record(MemoryAction::SegmentUnmap, first, pages * kPage, stream, pool);
            break;
        }
        case 4:
        case 5:
        case 6: allocate(); break;
        default: release(); break;
        }
    }

    void allocate()
    {
        const State &now = states.back();
        if (now.segments.empty())
            return;
        const auto segment = std::next(now.segments.begin(), static_cast<std::ptrdiff_t>(below(now.segments.size())));
        const uint64_t size = 512 * (1 + below(16)), places = segment->second.size / 512;
        const uint64_t address = segment->first + below(places) * 512;
        if (address + size > segment->first + segment->second.size || !isEmpty(address, size))
            return;
        const uint64_t requested = size - below(512);
        m_blocks[address] = {size, requested, false};
        const auto stream = static_cast<uint16_t>(
            std::find(std::begin(kStreams), std::end(kStreams), segment->second.stream) - std::begin(kStreams));
        m_owners[address] = {stream, segment->second.pool};
        record(MemoryAction::Alloc, address, requested, stream, segment->second.pool);
    }

    void release()
    {
        if (m_blocks.empty())
            return;
        const auto block = std::next(m_blocks.begin(), static_cast<std::ptrdiff_t>(below(m_blocks.size())));
        const uint64_t address = block->first, requested = block->second.requested;
        const auto [stream, pool] = m_owners[address];
        if (!block->second.pending) {
            block->second.pending = true;
            record(MemoryAction::FreeRequested, address, requested, stream, pool);
        } else {
            m_blocks.erase(block);
            record(MemoryAction::FreeCompleted, address, requested, stream, pool);
        }
    }

    std::mt19937_64 m_random;
    std::vector<Event> m_events;
    std::map<uint64_t, Fixed> m_fixed;
    std::set<uint64_t> m_pages;
    std::map<uint64_t, Block> m_blocks;
    std::map<uint64_t, std::pair<uint16_t, uint32_t>> m_owners;
    uint64_t m_next = 0x1000'0000;
};

} // namespace riffle::test
