// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/time.h"
#include "model/trace/column.h"
#include "model/trace/string_pool.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle {

/// What an entry of the allocator's history says.
enum class MemoryAction : uint8_t {
    Alloc,         ///< given to the program
    FreeRequested, ///< given back by the program
    FreeCompleted, ///< in the pool again; later than the request where other streams use it
    Free,          ///< both at once, as old recorders write
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    Snapshot,
    OutOfMemory,
    Other, ///< a word that is not known here
    Count
};

/// The recorder's word.
std::string_view memoryActionWord(MemoryAction action);

enum class BlockState : uint8_t { Allocated, PendingFree, Inactive };

/// Entries of the history of all devices, those of a device one after another in the order of recording. Columns that
/// no entry has a value for are empty; read them with at().
struct MemoryEventTable {
    static constexpr uint32_t kNone = UINT32_MAX;

    Column<MemoryAction> action;
    Column<uint64_t> address;        ///< of OutOfMemory: how many bytes the device had left
    Column<int64_t> size;            ///< bytes, as requested, as the file has them: may be negative in a damaged one
    Column<uint16_t> stream;         ///< row of MemorySnapshot::streams
    Column<uint32_t> stack;          ///< row of MemorySnapshot::stacks; 0: none recorded
    Column<int64_t> time;            ///< Unix nanoseconds, kNoTime where there is none; not always ascending
    Column<uint32_t> pool;           ///< row of MemorySnapshot::pools
    Column<uint32_t> metadata;       ///< string: user_metadata
    Column<uint32_t> compileContext; ///< string
    Column<uint32_t> category;       ///< string
    Column<uint32_t> forwardStack;   ///< row of MemorySnapshot::stacks

    static constexpr uint64_t kNotRecorded =
        std::numeric_limits<uint64_t>::max(); ///< address of an `oom` that does not say what the device had left
    static constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();
    uint32_t count() const { return static_cast<uint32_t>(action.size()); }
};

/// A place in the program. Of fx: what the compiler's graph says about it, strings; 0: nothing.
struct MemoryFrame {
    uint32_t name = 0;
    uint32_t file = 0;
    int32_t line = 0;
    std::array<uint32_t, 4> fx{}; ///< node's op, name, target and original trace
    bool operator==(const MemoryFrame &) const = default;
};

/// Every different stack once: its frames, the innermost first. Row 0 is the stack without frames.
struct MemoryStackTable {
    Column<uint32_t> begin; ///< rows + 1 entries
    Column<uint32_t> frames;

    uint32_t count() const { return begin.empty() ? 0 : static_cast<uint32_t>(begin.size() - 1); }
    std::span<const uint32_t> at(uint32_t stack) const
    {
        return stack < count() ? frames.span().subspan(begin[stack], begin[stack + 1] - begin[stack])
                               : std::span<const uint32_t>();
    }
};

/// A piece of a segment in the final state.
struct MemoryBlock {
    uint64_t address = 0;
    int64_t size = 0;
    int64_t requested = 0; ///< the block's size where the file does not say
    uint32_t stack = 0;
    BlockState state = BlockState::Inactive;
};

/// Memory that the allocator holds of the device in the final state.
struct MemorySegment {
    uint64_t address = 0;
    int64_t total = 0, allocated = 0, active = 0, requested = 0; ///< bytes, as the file says
    int64_t stream = 0;
    int32_t device = 0;
    uint32_t type = 0; ///< string: "large" or "small"
    uint32_t pool = 0; ///< row of MemorySnapshot::pools
    uint32_t stack = 0;
    uint32_t firstBlock = 0, blocks = 0; ///< rows of MemorySnapshot::blocks
    bool expandable = false;
    bool host = false; ///< pinned memory of the host
};

/// The history of one device: rows [first, first + count) of the events.
struct MemoryDeviceTrace {
    int32_t device = 0;
    bool host = false;
    uint32_t first = 0;
    uint32_t count = 0;
};

/// A mark of the program: a range begins or ends.
struct MemoryAnnotation {
    uint32_t name = 0;  ///< string
    uint32_t stage = 0; ///< string: "START" or "END"
    int32_t device = -1;
    int64_t time = MemoryEventTable::kNoTime; ///< Unix nanoseconds
};

/// What was odd in a file that could be read, each kind counted.
struct SnapshotOddities {
    uint64_t unreadableFields = 0; ///< values of another type than theirs: left out
    uint64_t repeatedEntries = 0;  ///< entries that stand in a list twice, or in none
    uint64_t strangeItems = 0;     ///< items of lists that are nothing of the kind
    uint64_t crowdedStreams = 0;   ///< entries on streams beyond 65,535: put together
    std::map<std::string, uint64_t> otherActions;
    std::vector<std::string> otherKeys; ///< of the snapshot itself
};

/// A snapshot of PyTorch's caching allocators: the final state whole, and as much history as their ring buffer held.
/// Never changes once it is read; row numbers are within bounds.
class MemorySnapshot {
public:
    std::string path;
    std::string container; ///< "pickle", "pickle in gzip", "pickle in HTML", …
    int protocol = 0;
    uint64_t fileBytes = 0;
    uint64_t pickleBytes = 0;
    bool stateOnly = false; ///< the file is a bare list of segments
    std::vector<std::string>
        otherSnapshots; ///< names of those that stand in the same page behind this one and were not read
    double loadSeconds = 0;

    MemoryEventTable events;
    std::vector<MemoryDeviceTrace> devices; ///< one a list of the file; ascending, those of the host last
    std::vector<MemorySegment> segments;    ///< in the file's order
    Column<MemoryBlock> blocks;
    Column<MemoryFrame> frames;
    MemoryStackTable stacks;
    StringTable strings;
    std::vector<int64_t> streams;                   ///< raw pointers; 0 is the default stream
    std::vector<std::pair<int64_t, int64_t>> pools; ///< ids; row 0 is (0, 0), the one that is not private
    std::vector<std::pair<std::string, std::string>> settings;
    std::vector<MemoryAnnotation> annotations;
    SnapshotOddities oddities;
    std::optional<Error> damage; ///< why the file could not be read to its end; what stands before that is here
    bool whole =
        true; ///< histories and final state were read to their ends: what is missing stands behind both, if anything

    std::string_view string(uint32_t id) const { return strings.at(id); }
    std::span<const MemoryBlock> blocksOf(const MemorySegment &segment) const
    {
        return blocks.span().subspan(segment.firstBlock, segment.blocks);
    }
    /// A setting's text; empty where there is none.
    std::string setting(std::string_view key) const;
};

} // namespace riffle
