// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/memory/memory_snapshot.h"

#include "model/trace/store_columns.h"

namespace riffle {

std::string_view memoryActionWord(MemoryAction action)
{
    switch (action) {
    case MemoryAction::Alloc: return "alloc";
    case MemoryAction::FreeRequested: return "free_requested";
    case MemoryAction::FreeCompleted: return "free_completed";
    case MemoryAction::Free: return "free";
    case MemoryAction::SegmentAlloc: return "segment_alloc";
    case MemoryAction::SegmentFree: return "segment_free";
    case MemoryAction::SegmentMap: return "segment_map";
    case MemoryAction::SegmentUnmap: return "segment_unmap";
    case MemoryAction::Snapshot: return "snapshot";
    case MemoryAction::OutOfMemory: return "oom";
    case MemoryAction::Other: return "other";
    case MemoryAction::Annotate: return "annotate";
    case MemoryAction::Count: break;
    }
    return "";
}

std::optional<Error> MemorySnapshot::failure() const
{
    return stored && stored->wasCut() ? std::optional(storeCut(path)) : std::nullopt;
}

std::string MemorySnapshot::setting(std::string_view key) const
{
    for (const auto &[name, value] : settings)
        if (name == key)
            return value;
    return {};
}

} // namespace riffle
