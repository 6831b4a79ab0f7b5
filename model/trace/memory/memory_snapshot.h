// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/mapped_file.h"
#include "model/base/result.h"
#include "model/base/time.h"
#include "model/trace/column.h"
#include "model/trace/string_pool.h"

#include <array>
#include <cassert>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle {

/// The kind of an entry in the allocator's history.
enum class MemoryAction : uint8_t {
    Alloc,         ///< given to the program
    FreeRequested, ///< freed by the program
    FreeCompleted, ///< back in the pool; later than the request if other streams still used it
    Free,          ///< request and completion in one entry, as old recorders write them
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    Snapshot,
    OutOfMemory,
    Other,    ///< an unknown word
    Annotate, ///< the program attached a text to memory that it holds
    Count
};

/// Returns the recorder's word for an action.
std::string_view memoryActionWord(MemoryAction action);

enum class BlockState : uint8_t { Allocated, PendingFree, Inactive };

/// The history entries of all devices; those of a device are consecutive and in the order of recording. A column in
/// which no entry has a value is empty, so read columns with at().
struct MemoryEventTable {
    static constexpr uint32_t kNone = UINT32_MAX;

    Column<MemoryAction> action;
    Column<uint64_t> address;        ///< for OutOfMemory, the bytes that the device had left
    Column<int64_t> size;            ///< requested bytes as in the file; may be negative in a damaged one
    Column<uint16_t> stream;         ///< row of MemorySnapshot::streams
    Column<uint32_t> stack;          ///< row of MemorySnapshot::stacks; 0 if none was recorded
    Column<int64_t> time;            ///< Unix nanoseconds or kNoTime; not always ascending
    Column<uint32_t> pool;           ///< row of MemorySnapshot::pools
    Column<uint32_t> metadata;       ///< string: user_metadata; as compact JSON if it is a dict or a list
    Column<uint32_t> compileContext; ///< string
    Column<uint32_t> category;       ///< string
    Column<uint32_t> forwardStack;   ///< row of MemorySnapshot::stacks

    /// The address of an OutOfMemory entry that does not record how many bytes the device had left.
    static constexpr uint64_t kNotRecorded = std::numeric_limits<uint64_t>::max();
    static constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();
    uint32_t count() const { return static_cast<uint32_t>(action.size()); }
};

/// A place in the program. Texts are string ids; `fx` holds what the compiler's graph records about the place, 0 if
/// nothing.
struct MemoryFrame {
    uint32_t name = 0;
    uint32_t file = 0;
    int32_t line = 0;
    std::array<uint32_t, 4> fx{}; ///< op, name, target and original trace of the graph's node
    bool operator==(const MemoryFrame &) const = default;
};

/// The distinct stacks, each a list of frames, innermost first. Row 0 is the stack without frames.
struct MemoryStackTable {
    Column<uint32_t> begin; ///< per stack, the first of its entries in `frames`; count() + 1 entries
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
    int64_t requested = 0; ///< the block's size if not recorded
    uint32_t stack = 0;
    BlockState state = BlockState::Inactive;
};

/// A piece of device memory that the allocator holds in the final state.
struct MemorySegment {
    uint64_t address = 0;
    int64_t total = 0, allocated = 0, active = 0, requested = 0; ///< bytes, as in the file
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

/// A mark set by the program: the start or end of a range.
struct MemoryAnnotation {
    uint32_t name = 0;  ///< string
    uint32_t stage = 0; ///< string: "START" or "END"
    int32_t device = -1;
    int64_t time = MemoryEventTable::kNoTime; ///< Unix nanoseconds
};

/// The oddities of a file that could be read, counted by kind.
struct SnapshotOddities {
    uint64_t unreadableFields = 0; ///< values with an unexpected type, left out
    uint64_t repeatedEntries = 0;  ///< entries that are in a list twice, or in no list
    uint64_t strangeItems = 0;     ///< list items that are not of the expected kind
    uint64_t crowdedStreams = 0;   ///< entries on streams beyond the first 65,535, which count as one stream
    std::map<std::string, uint64_t> otherActions;
    std::vector<std::string> otherKeys; ///< unknown keys of the snapshot itself
};

/// A snapshot of PyTorch's caching allocators: the complete final state, and as much history as the ring buffer held.
/// It never changes once it is read; its row numbers are within bounds.
class MemorySnapshot {
public:
    std::string path;
    std::string container; ///< "pickle", "pickle in gzip", "pickle in HTML", …
    int protocol = 0;
    uint64_t fileBytes = 0;
    uint64_t pickleBytes = 0;
    bool stateOnly = false; ///< the file is a bare list of segments
    /// The names of snapshots that follow this one in the same page and were not read.
    std::vector<std::string> otherSnapshots;
    double loadSeconds = 0;

    MemoryEventTable events;
    std::vector<MemoryDeviceTrace> devices; ///< one per list of the file; ascending, the host's last
    std::vector<MemorySegment> segments;    ///< in the file's order
    Column<MemoryBlock> blocks;
    Column<MemoryFrame> frames;
    MemoryStackTable stacks;
    StringTable strings;
    std::vector<int64_t> streams;                   ///< raw pointers; 0 is the default stream
    std::vector<std::pair<int64_t, int64_t>> pools; ///< ids; row 0 is (0, 0), the pool that is not private
    std::vector<std::pair<std::string, std::string>> settings;
    std::vector<MemoryAnnotation> annotations;
    SnapshotOddities oddities;
    std::optional<Error> damage; ///< why the file could not be read to its end; everything before that is here
    /// True if the histories and the final state were read completely; in a damaged file, only what follows them is
    /// missing.
    bool whole = true;

    std::shared_ptr<const MappedFile> stored; ///< the store that the columns point into; null if they are in memory

    /// Returns an Error if the store was cut while the snapshot was in use, so that answers contain zeros.
    std::optional<Error> failure() const;
    std::string_view string(uint32_t id) const { return strings.at(id); }
    std::span<const MemoryBlock> blocksOf(const MemorySegment &segment) const
    {
        assert(segment.firstBlock <= blocks.size() && segment.blocks <= blocks.size() - segment.firstBlock);
        return blocks.span().subspan(segment.firstBlock, segment.blocks);
    }
    /// Returns the text of a setting; empty if there is no such setting.
    std::string setting(std::string_view key) const;
};

} // namespace riffle
