// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/memory_replay.h"

#include "model/base/big_vector.h"
#include "model/base/ids.h"
#include "model/base/parallel.h"
#include "model/base/seeded_hash.h"
#include "model/base/wrapping.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <span>

namespace riffle {

namespace {

/// Adds a change to a level, or subtracts it if `back`. Damaged files can contain any number, so sums wrap instead of
/// overflowing.
void addLevel(MemoryLevel &level, const MemoryLevel &change, bool back)
{
    const auto signedBy = [&](int64_t value) {
        return back ? static_cast<int64_t>(-static_cast<uint64_t>(value)) : value;
    };
    addWrapping(level.allocated, signedBy(change.allocated));
    addWrapping(level.active, signedBy(change.active));
    addWrapping(level.reserved, signedBy(change.reserved));
}

/// The use of an address, at the event that the replay has reached on its way back in time. Its state is Free in an
/// empty slot of the table, None if no allocation was seen yet, Open if it is allocated, Pending if it was freed but
/// still waits for other streams, and Begun if the alloc of the next use was undone.
struct Use {
    uint64_t address = 0;
    int64_t size = 0;
    uint32_t freed = kNoRow, end = kNoRow, block = kNoRow;
    enum class State : uint8_t { Free, None, Open, Pending, Begun } state = State::Free;
};

/// A hash table of uses by address, with open addressing. Entries are never removed, because addresses recur.
class UseTable {
public:
    UseTable() : m_slots(1024) {}
    Use &at(uint64_t address)
    {
        if (m_used * 2 > m_slots.size())
            grow();
        Use &use = m_slots[find(address)];
        if (use.state == Use::State::Free) {
            use.address = address;
            use.state = Use::State::None;
            ++m_used;
        }
        return use;
    }
    void expect(uint64_t address) const { __builtin_prefetch(&m_slots[place(address)]); }
    std::span<const Use> slots() const { return m_slots; }

private:
    size_t place(uint64_t address) const { return m_hash(address) & (m_slots.size() - 1); }
    size_t find(uint64_t address) const
    {
        size_t at = place(address);
        while (m_slots[at].state != Use::State::Free && m_slots[at].address != address)
            at = (at + 1) & (m_slots.size() - 1);
        return at;
    }
    void grow()
    {
        BigVector<Use> old(m_slots.size() * 2);
        old.swap(m_slots);
        for (const Use &use : old)
            if (use.state != Use::State::Free)
                m_slots[find(use.address)] = use;
    }

    SeededHash m_hash; ///< the file chooses the addresses
    BigVector<Use> m_slots;
    size_t m_used = 0;
};

bool isOpen(const Use &use) { return use.state == Use::State::Open || use.state == Use::State::Pending; }

/// True if a recorder wrote the history that records only when memory is back in the pool: there is no free_requested,
/// but memory that was allocated in the history came back. Then its free_completed is both the request and the end.
bool recordsNoRequests(const MemoryEventTable &events, const DeviceReplay &device)
{
    const auto actions = events.action.slice(device.firstEvent, device.events);
    if (std::find(actions.begin(), actions.end(), MemoryAction::FreeRequested) != actions.end())
        return false;
    const auto first = std::find(actions.begin(), actions.end(), MemoryAction::Alloc);
    SeededSet<uint64_t> allocated;
    for (auto at = first; at != actions.end(); ++at) {
        const uint64_t address = events.address[device.firstEvent + static_cast<uint32_t>(at - actions.begin())];
        if (*at == MemoryAction::Alloc)
            allocated.insert(address);
        else if (*at == MemoryAction::FreeCompleted && allocated.contains(address))
            return true;
    }
    return false;
}

class Follower {
public:
    Follower(const MemorySnapshot &snapshot, DeviceReplay &replay, const Task &task)
        : m_events(snapshot.events)
        , m_snapshot(snapshot)
        , m_replay(replay)
        , m_task(task)
        , m_completesOnly(recordsNoRequests(snapshot.events, replay))
    {
    }

    void run()
    {
        if (m_replay.endIsKnown(m_snapshot))
            takeFinalState();
        else
            takeUnfreed();
        m_replay.atEnd = m_level;
        const auto actions = m_events.action.slice(m_replay.firstEvent, m_replay.events);
        const auto begun = static_cast<size_t>(std::count(actions.begin(), actions.end(), MemoryAction::Alloc));
        for (auto *column : {&m_replay.allocations.begin, &m_replay.allocations.freed, &m_replay.allocations.end,
                             &m_replay.allocations.block})
            column->reserve(begun);
        m_replay.checkpoints.resize((m_replay.events + DeviceReplay::kStride - 1) / DeviceReplay::kStride);
        constexpr uint32_t kAhead = 8;
        for (uint32_t at = m_replay.events; at > 0; --at) {
            const uint32_t event = m_replay.firstEvent + at - 1;
            if (at > kAhead)
                m_uses.expect(m_events.address[event - kAhead]);
            notePeak(event);
            const MemoryLevel change = undo(event);
            addLevel(m_level, change, true);
            if (change != nominalChange(m_events.action[event], m_events.size[event]))
                m_replay.corrections.push_back({event, change});
            if ((at - 1) % DeviceReplay::kStride == 0) {
                m_replay.checkpoints[(at - 1) / DeviceReplay::kStride] = m_level;
                if (m_task.stopped())
                    return;
            }
        }
        notePeak(kNoRow);
        m_replay.atBegin = m_level;
        takeOpen();
        std::reverse(m_replay.corrections.begin(), m_replay.corrections.end());
        for (auto *column : {&m_replay.allocations.begin, &m_replay.allocations.freed, &m_replay.allocations.end,
                             &m_replay.allocations.block})
            std::reverse(column->begin(), column->end());
    }

private:
    void note(MemoryTrouble &trouble, uint32_t event)
    {
        ++trouble.count;
        trouble.firstEvent = event; // events are visited backwards, so the last one noted is the first
    }

    void notePeak(uint32_t event)
    {
        const auto larger = [&](int64_t level, int64_t &peak, uint32_t &at) {
            if (level >= peak) { // the earliest of equal peaks counts
                peak = level;
                at = event;
            }
        };
        larger(m_level.allocated, m_replay.peak.allocated, m_replay.peakAllocatedEvent);
        larger(m_level.active, m_replay.peak.active, m_replay.peakActiveEvent);
        larger(m_level.reserved, m_replay.peak.reserved, m_replay.peakReservedEvent);
    }

    void takeFinalState()
    {
        for (const MemorySegment &segment : m_snapshot.segments) {
            if (segment.device != m_replay.device || segment.host != m_replay.host)
                continue;
            addWrapping(m_level.reserved, segment.total);
            for (uint32_t at = 0; at < segment.blocks; ++at) {
                const MemoryBlock &block = m_snapshot.blocks[segment.firstBlock + at];
                if (block.state == BlockState::Inactive)
                    continue;
                if (block.requested < 0) {
                    ++m_replay.impossibleSizes.count;
                    continue;
                }
                Use &use = m_uses.at(block.address);
                if (isOpen(use)) {
                    ++m_replay.overlappingBlocks;
                    continue;
                }
                const bool pending = block.state == BlockState::PendingFree;
                use.state = pending ? Use::State::Pending : Use::State::Open;
                use.size = block.requested;
                use.block = segment.firstBlock + at;
                addWrapping(m_level.active, block.requested);
                addWrapping(m_level.allocated, pending ? 0 : block.requested);
                addWrapping(m_replay.blocks.active, block.size);
                addWrapping(m_replay.blocks.allocated, pending ? 0 : block.size);
            }
        }
        m_replay.blocks.reserved = m_level.reserved;
    }

    /// Sets the end of a history without a final state: the allocations that are open after its last event, and the
    /// smallest amount that can have been reserved.
    void takeUnfreed()
    {
        int64_t reserved = 0, least = 0;
        std::map<uint64_t, std::pair<uint32_t, bool>>
            open; // per address: the alloc event, and true if a free was requested since
        for (uint32_t event = m_replay.firstEvent; event < m_replay.firstEvent + m_replay.events; ++event) {
            const uint64_t address = m_events.address[event];
            if (m_events.size[event] >= 0)
                addWrapping(reserved, nominalChange(m_events.action[event], m_events.size[event]).reserved);
            least = std::min(least, reserved);
            if (m_events.action[event] == MemoryAction::Alloc && m_events.size[event] >= 0)
                open[address] = {event, false};
            else if (m_events.action[event] == MemoryAction::FreeRequested && open.contains(address))
                open[address].second = true;
            else if (m_events.action[event] == MemoryAction::FreeCompleted ||
                     m_events.action[event] == MemoryAction::Free)
                open.erase(address);
        }
        for (const auto &[address, alloc] : open) {
            Use &use = m_uses.at(address);
            use.state = alloc.second ? Use::State::Pending : Use::State::Open;
            use.size = m_events.size[alloc.first];
            addWrapping(m_level.active, use.size);
            addWrapping(m_level.allocated, alloc.second ? 0 : use.size);
        }
        m_level.reserved = reserved;
        addWrapping(m_level.reserved, -least);
    }

    void emit(const Use &use, uint32_t begin)
    {
        m_replay.allocations.begin.push_back(begin);
        m_replay.allocations.freed.push_back(use.freed);
        m_replay.allocations.end.push_back(use.end);
        m_replay.allocations.block.push_back(use.block);
    }

    /// Undoes an event and returns the change that it made, as derived from the state after it.
    MemoryLevel undo(uint32_t event)
    {
        const int64_t size = m_events.size[event];
        const MemoryAction action = m_events.action[event];
        const bool moves = nominalChange(action, 1) != MemoryLevel();
        if (!moves)
            return {};
        if (size < 0) {
            note(m_replay.impossibleSizes, event);
            return {};
        }
        if (action >= MemoryAction::SegmentAlloc)
            return nominalChange(action, size);
        Use &use = m_uses.at(m_events.address[event]);
        switch (action) {
        case MemoryAction::Alloc: return undoAlloc(use, event, size);
        case MemoryAction::FreeRequested:
            if (use.state != Use::State::Pending) {
                note(m_replay.unknownFrees, event);
                return {};
            }
            use.state = Use::State::Open;
            use.freed = event;
            if (use.size != size)
                note(m_replay.otherSizes, event);
            return {-use.size, 0, 0};
        default: return undoCompletion(use, event, size, m_completesOnly || action == MemoryAction::Free);
        }
    }

    MemoryLevel undoAlloc(Use &use, uint32_t event, int64_t size)
    {
        if (!isOpen(use)) {
            note(use.state == Use::State::Begun ? m_replay.doubleAllocations : m_replay.vanished, event);
            Use lost;
            lost.end = event;
            emit(lost, event);
            return {};
        }
        if (use.size != size)
            note(m_replay.otherSizes, event);
        emit(use, event);
        const MemoryLevel change{use.state == Use::State::Open ? use.size : 0, use.size, 0};
        use.state = Use::State::Begun;
        use.freed = use.end = use.block = kNoRow;
        return change;
    }

    MemoryLevel undoCompletion(Use &use, uint32_t event, int64_t size, bool atOnce)
    {
        MemoryLevel change;
        if (isOpen(use)) {
            note(m_replay.unknownFrees, event);
            emit(use, event);
            change = {use.state == Use::State::Open ? use.size : 0, use.size, 0};
        }
        use.state = atOnce ? Use::State::Open : Use::State::Pending;
        use.size = size;
        use.end = event;
        use.freed = atOnce ? event : kNoRow;
        use.block = kNoRow;
        addWrapping(change.active, -size);
        addWrapping(change.allocated, atOnce ? -size : 0);
        return change;
    }

    /// Emits the uses that are still open at the start of the history, as allocations from before it.
    void takeOpen()
    {
        std::vector<const Use *> open;
        for (const Use &use : m_uses.slots())
            if (isOpen(use))
                open.push_back(&use);
        std::sort(open.begin(), open.end(), [](const Use *a, const Use *b) { return a->address > b->address; });
        for (const Use *use : open) {
            emit(*use, kNoRow);
            ++(use->block == kNoRow ? m_replay.freedFromBefore : m_replay.aliveFromBefore);
        }
    }

    const MemoryEventTable &m_events;
    const MemorySnapshot &m_snapshot;
    DeviceReplay &m_replay;
    const Task &m_task;
    const bool m_completesOnly; ///< a free_completed is the request, too
    UseTable m_uses;
    MemoryLevel m_level;
};

} // namespace

MemoryLevel nominalChange(MemoryAction action, int64_t size)
{
    const auto minus = static_cast<int64_t>(-static_cast<uint64_t>(size));
    switch (action) {
    case MemoryAction::Alloc: return {size, size, 0};
    case MemoryAction::FreeRequested: return {minus, 0, 0};
    case MemoryAction::FreeCompleted: return {0, minus, 0};
    case MemoryAction::Free: return {minus, minus, 0};
    case MemoryAction::SegmentAlloc:
    case MemoryAction::SegmentMap: return {0, 0, size};
    case MemoryAction::SegmentFree:
    case MemoryAction::SegmentUnmap: return {0, 0, minus};
    default: return {};
    }
}

uint32_t MemoryAllocations::anyEvent(uint32_t row) const
{
    assert(row < count() && freed.size() == count() && end.size() == count() && block.size() == count());
    return begin[row] != kNoRow ? begin[row] : freed[row] != kNoRow ? freed[row] : end[row];
}

uint64_t MemoryAllocations::address(const MemorySnapshot &snapshot, uint32_t row) const
{
    assert(row < count());
    return block[row] != kNoRow ? snapshot.blocks[block[row]].address : snapshot.events.address[anyEvent(row)];
}

int64_t MemoryAllocations::size(const MemorySnapshot &snapshot, uint32_t row) const
{
    assert(row < count());
    if (block[row] != kNoRow)
        return snapshot.blocks[block[row]].requested;
    return snapshot.events.size[end[row] != kNoRow ? end[row] : anyEvent(row)];
}

std::optional<uint16_t> MemoryAllocations::stream(const MemorySnapshot &snapshot, uint32_t row) const
{
    const uint32_t event = anyEvent(row);
    return event == kNoRow ? std::nullopt : std::optional(snapshot.events.stream[event]);
}

MemoryLevel DeviceReplay::levelAfter(const MemorySnapshot &snapshot, uint32_t event) const
{
    assert(event >= firstEvent && event - firstEvent < events);
    const uint32_t stretch = (event - firstEvent) / kStride;
    assert(stretch < checkpoints.size());
    MemoryLevel level = checkpoints[stretch];
    uint32_t at = firstEvent + stretch * kStride;
    auto correction = std::lower_bound(corrections.begin(), corrections.end(), at,
                                       [](const Correction &one, uint32_t wanted) { return one.event < wanted; });
    for (; at <= event; ++at) {
        const bool corrected = correction != corrections.end() && correction->event == at;
        addLevel(level,
                 corrected ? correction->change : nominalChange(snapshot.events.action[at], snapshot.events.size[at]),
                 false);
        correction += corrected;
    }
    return level;
}

MemoryReplay replayMemory(const MemorySnapshot &snapshot, Task task)
{
    std::map<std::pair<bool, int32_t>, DeviceReplay> devices;
    const auto of = [&](bool host, int32_t device) -> DeviceReplay & {
        DeviceReplay &replay = devices[{host, device}];
        replay.host = host;
        replay.device = device;
        return replay;
    };
    for (const MemorySegment &segment : snapshot.segments)
        of(segment.host, segment.device);
    for (const MemoryDeviceTrace &trace : snapshot.devices) {
        if (trace.count == 0)
            continue;
        DeviceReplay &replay = of(trace.host, trace.device);
        replay.firstEvent = trace.first;
        replay.events = trace.count;
    }
    MemoryReplay replay;
    for (auto &[key, device] : devices)
        replay.devices.push_back(std::move(device));
    parallelFor(replay.devices.size(), [&](size_t at) { Follower(snapshot, replay.devices[at], task).run(); });
    return replay;
}

} // namespace riffle
