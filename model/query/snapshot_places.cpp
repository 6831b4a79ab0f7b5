// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/snapshot_places.h"

#include "model/analysis/memory/events/event_place.h"
#include "model/base/parallel.h"

#include <unordered_map>

namespace riffle {

SnapshotPlaces::SnapshotPlaces(const SnapshotFacts &facts)
{
    const MemorySnapshot &snapshot = facts.snapshot();
    const MemoryStacks &stacks = facts.stacks();
    const uint32_t count = snapshot.stacks.count();
    // First the frames, on all cores, then the text of each frame.
    m_places.assign(count, kNone);
    m_callers.assign(count, kNone);
    parallelRanges(count, 256, [&](size_t first, size_t last) {
        for (auto stack = static_cast<uint32_t>(first); stack < last; ++stack) {
            const auto place = eventPlace(stacks, stack);
            if (!place)
                continue;
            m_places[stack] = *place;
            m_callers[stack] = callerOfPlace(stacks, stack, *place).value_or(kNone);
        }
    });
    std::unordered_map<uint32_t, uint32_t> known; // by frame
    const auto textOf = [&](uint32_t frame) {
        if (frame == kNone)
            return kNone;
        const auto [at, isNew] = known.try_emplace(frame, static_cast<uint32_t>(m_texts.size()));
        if (isNew)
            m_texts.push_back(stacks.text(frame, true));
        return at->second;
    };
    for (uint32_t stack = 0; stack < count; ++stack) {
        m_places[stack] = textOf(m_places[stack]);
        m_callers[stack] = textOf(m_callers[stack]);
    }
    using Of = AllocationStack::Of;
    m_fromBefore.assign(count, kNone);
    m_unrecorded.assign(count, kNone);
    for (const DeviceReplay &device : facts.replay().devices)
        for (uint32_t row = 0; row < device.allocations.count(); ++row) {
            const AllocationStack stack = allocationStack(snapshot, device.allocations, row);
            if (stack.isOfAllocation())
                continue;
            uint32_t &text = (stack.of == Of::GivenBackFromBefore ? m_fromBefore : m_unrecorded)[stack.stack];
            if (text != kNone)
                continue;
            text = static_cast<uint32_t>(m_texts.size());
            const uint32_t place = m_places[stack.stack];
            m_texts.push_back(stack.titled(place == kNone ? std::string() : m_texts[place]));
        }
}

uint32_t SnapshotPlaces::place(const AllocationStack &stack) const
{
    const std::vector<uint32_t> &places = stack.isOfAllocation()                                 ? m_places
                                          : stack.of == AllocationStack::Of::GivenBackFromBefore ? m_fromBefore
                                                                                                 : m_unrecorded;
    return stack.stack < places.size() ? places[stack.stack] : kNone;
}

} // namespace riffle
