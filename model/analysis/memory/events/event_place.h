// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_stacks.h"

#include <cstdint>
#include <optional>
#include <string>

namespace riffle {

/// The one frame of a stack that says where something happened: the innermost of the user's own Python code, else the
/// innermost of any Python. Without Python the innermost that is neither folded (see MemoryStacks) nor belongs to the
/// allocator, nor to what makes and destroys any tensor: caching allocators, storages, at::detail, functions called
/// empty…, iterators and shapes of operators, destructors. Where there is no other, the innermost that is not folded.
/// Nothing: no frames, or folded ones only.
std::optional<uint32_t> eventPlace(const MemoryStacks &stacks, uint32_t stack);

/// "forward model.py:61"; empty where no frame says it.
std::string eventPlaceText(const MemoryStacks &stacks, uint32_t stack, bool whole = false);

} // namespace riffle
