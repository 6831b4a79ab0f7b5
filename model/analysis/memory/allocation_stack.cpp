// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocation_stack.h"

#include "model/base/ids.h"

#include <array>

namespace riffle {

AllocationStack allocationStack(const MemorySnapshot &snapshot, const MemoryAllocations &all, uint32_t row)
{
    using Of = AllocationStack::Of;
    const uint32_t begin = all.begin[row];
    if (begin != kNoRow && snapshot.events.action[begin] == MemoryAction::Alloc)
        return {snapshot.events.stack[begin], Of::Allocation};
    if (all.block[row] != kNoRow && snapshot.blocks[all.block[row]].stack != 0)
        return {snapshot.blocks[all.block[row]].stack, Of::Allocation};
    const uint32_t gone = all.freed[row] != kNoRow ? all.freed[row] : all.end[row];
    const uint32_t stack = gone == kNoRow ? 0 : snapshot.events.stack[gone];
    if (stack == 0)
        return {};
    return {stack, begin == kNoRow ? Of::GivenBackFromBefore : Of::GivenBackUnrecorded};
}

AllocationStack AllocationStack::ofKey(const MemorySnapshot &snapshot, uint32_t key)
{
    return {key % snapshot.stacks.count(), static_cast<Of>(key / snapshot.stacks.count())};
}

std::string_view AllocationStack::title() const
{
    static constexpr std::array<std::string_view, 3> kTitles{"", "(from before the history, freed at)",
                                                             "(its alloc is missing, freed at)"};
    return kTitles[static_cast<size_t>(of)];
}

std::string AllocationStack::titled(std::string_view place) const
{
    std::string text(title());
    if (!text.empty())
        text = text.substr(1, text.size() - 2) + ' ';
    return text.append(place);
}

} // namespace riffle
