// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_stacks.h"

#include <cstdint>
#include <optional>
#include <string>

namespace riffle {

/// The one frame of a stack that best says where an event happened: the innermost frame of the user's own Python code,
/// otherwise the innermost Python frame. Without Python frames it is the innermost frame that is not folded (see
/// MemoryStacks) and belongs neither to the allocator nor to the code that creates and destroys every tensor: caching
/// allocators, storages, at::detail, functions called empty…, iterators and shapes of operators, destructors. If only
/// such frames are left, it is the innermost of them. Empty if there are no frames or only folded ones.
std::optional<uint32_t> eventPlace(const MemoryStacks &stacks, uint32_t stack);

/// The innermost frame of the user's own Python code that is outside the function of `place`; empty if there is none.
std::optional<uint32_t> callerOfPlace(const MemoryStacks &stacks, uint32_t stack, uint32_t place);

/// "forward model.py:61"; empty if there is no such frame.
std::string eventPlaceText(const MemoryStacks &stacks, uint32_t stack, bool whole = false);

} // namespace riffle
