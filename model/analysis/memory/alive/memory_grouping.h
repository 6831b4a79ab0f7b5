// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/memory_instant.h"
#include "model/analysis/memory/alive/memory_tree.h"
#include "model/analysis/table/result_table.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace riffle {

class MemoryCategories;

/// By what allocations are put together.
enum class MemoryGrouping : uint8_t {
    Stack, ///< where it was allocated, outermost frame first; see MemoryStacks. Where only the place is known that gave
           ///< it back: below a top that says so (AllocationStack); so it is with modules and operators
    Module,   ///< MemoryStacks::modules(), outermost first; of what was allocated in none: those of the forward stack,
              ///< where one was recorded
    Operator, ///< MemoryStacks::operators(), outermost first
    Category, ///< guessed by rules, and below it the rule; see MemoryCategories
    Stream,   ///< of its events; of an allocation without events: of its segment
    Pool, ///< of its segment in the final state; of what is gone by then: of its event; where events tell none: of the
          ///< segment of the final state at its address; else unknown
    Size, ///< the least power of two from 512 bytes on that is not less than the bytes requested
    Device,
    Metadata, ///< the text that the program gave with its alloc (_set_memory_metadata)
};
inline constexpr uint8_t kMemoryGroupings = 9;

std::string_view memoryGroupingWord(MemoryGrouping by);
std::optional<MemoryGrouping> memoryGroupingOf(std::string_view word);

/// What is alive at one or more instants, put together. MemoryTree::leaves holds those of the first instant's rows,
/// then the next's. `categories` may be null if that is not what is asked for. What is unknown (no stack, no module, …)
/// is a top of its own.
MemoryTree groupMemory(const SnapshotFacts &facts, std::span<const MemoryInstant> instants, MemoryGrouping by,
                       const MemoryCategories *categories = nullptr);

/// The tree as a table. Sums of tops are the instant's levels exactly: `bytes` active, `bytes` − `pending` allocated.
ResultTable memoryTreeTable(const MemoryTree &tree, MemoryGrouping by);

} // namespace riffle
