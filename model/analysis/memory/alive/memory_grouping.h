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

/// The property by which allocations are grouped.
enum class MemoryGrouping : uint8_t {
    Stack,  ///< the stack that allocated it, outermost frame first; see MemoryStacks. If only the stack that freed it
            ///< is known, that stack is below a top node that says so (AllocationStack), also for modules and operators
    Module, ///< MemoryStacks::modules(), outermost first; for an allocation outside all modules, the modules of its
            ///< forward stack, if one was recorded
    Operator, ///< MemoryStacks::operators(), outermost first
    Category, ///< as guessed by rules, with the rule below it; see MemoryCategories
    Stream,   ///< the stream of its events; for an allocation without events, the stream of its segment
    Pool,     ///< the pool of the segment that contains it in the final state; if it is freed by then, the pool of its
              ///< event; if events do not record pools, the pool of the segment that has its address in the final
              ///< state; otherwise unknown
    Size,     ///< the requested bytes, rounded up to a power of two of at least 512
    Device,
    Metadata, ///< the texts that the program attached to the allocation (_set_memory_metadata, _annotate_memory)
    Place,    ///< the line of the program that allocated it (eventPlace()), and the line that called its function
};
inline constexpr uint8_t kMemoryGroupings = 10;
/// The grouping for a first look: a row for each line of the program.
inline constexpr MemoryGrouping kDefaultMemoryGrouping = MemoryGrouping::Place;

std::string_view memoryGroupingWord(MemoryGrouping by);
std::optional<MemoryGrouping> memoryGroupingOf(std::string_view word);

/// Groups the memory that is alive at one or more instants. MemoryTree::leaves contains the leaves of the first
/// instant's rows, then those of the next one, and so on. `categories` may be null unless `by` is Category. Unknown
/// memory (no stack, no module, …) gets its own top node.
MemoryTree groupMemory(const SnapshotFacts &facts, std::span<const MemoryInstant> instants, MemoryGrouping by,
                       const MemoryCategories *categories = nullptr);

/// The tree as a table. The sums over its top nodes equal the instant's levels exactly: `bytes` is active, `bytes` −
/// `pending` is allocated.
ResultTable memoryTreeTable(const MemoryTree &tree, MemoryGrouping by);

} // namespace riffle
