// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/events/event_place.h"

#include "model/analysis/slice/stack_of.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace riffle {

namespace {

/// Parts of the names of functions through which all operators allocate and free memory.
constexpr std::array<std::string_view, 18> kAnybodys{
    "Allocator::",    "::StorageImpl",       "at::detail::", "::empty",         "::_empty",
    "_empty_strided", "memory_format_empty", "::create_out", "::set_output",    "::intrusive_ptr",
    "::TensorImpl",   "raw_deleter",         "raw_delete",   "::resize_bytes_", "at::TensorIteratorBase::",
    "at::meta::",     "::resize_reduction",  "::~"};

bool isAnybodys(const MemoryStacks &stacks, uint32_t frame)
{
    const std::string name = stacks.text(frame, false);
    return std::any_of(kAnybodys.begin(), kAnybodys.end(),
                       [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

bool isUsers(const MemoryStacks &stacks, uint32_t frame)
{
    const MemorySnapshot &snapshot = stacks.snapshot();
    const MemoryFrame &one = snapshot.frames[frame];
    return classifyFrame(snapshot.string(one.file), snapshot.string(one.name)) == FrameClass::User;
}

} // namespace

std::optional<uint32_t> eventPlace(const MemoryStacks &stacks, uint32_t stack)
{
    const auto frames = stacks.snapshot().stacks.at(stack);
    std::optional<uint32_t> python, other;
    for (const uint32_t frame : frames) {
        if (!stacks.isPython(frame))
            continue;
        if (isUsers(stacks, frame))
            return frame;
        python = python.value_or(frame);
    }
    if (python)
        return python;
    for (const uint32_t frame : frames) {
        if (stacks.isRuntime(frame))
            continue;
        if (!isAnybodys(stacks, frame))
            return frame;
        other = other.value_or(frame);
    }
    return other;
}

std::optional<uint32_t> callerOfPlace(const MemoryStacks &stacks, uint32_t stack, uint32_t place)
{
    const Column<MemoryFrame> &all = stacks.snapshot().frames;
    bool isOutside = false;
    for (const uint32_t frame : stacks.snapshot().stacks.at(stack)) {
        isOutside |= frame == place;
        if (isOutside && (all[frame].name != all[place].name || all[frame].file != all[place].file) &&
            stacks.isPython(frame) && isUsers(stacks, frame))
            return frame;
    }
    return std::nullopt;
}

std::string eventPlaceText(const MemoryStacks &stacks, uint32_t stack, bool whole)
{
    const auto frame = eventPlace(stacks, stack);
    return frame ? stacks.text(*frame, whole) : std::string();
}

} // namespace riffle
