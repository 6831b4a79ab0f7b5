// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace riffle {

/// The texts that have a meaning in a snapshot. They are interned first, so that the id of a text identifies its word.
// clang-format off
#define RIFFLE_SNAPSHOT_WORDS(WORD) \
    WORD(Action, "action") WORD(Addr, "addr") WORD(Size, "size") WORD(Stream, "stream") WORD(TimeUs, "time_us") \
    WORD(Frames, "frames") WORD(CompileContext, "compile_context") WORD(UserMetadata, "user_metadata") \
    WORD(PoolId, "pool_id") WORD(ForwardFrames, "forward_frames") WORD(Category, "category") \
    WORD(DeviceFree, "device_free") WORD(Device, "device") \
    WORD(Name, "name") WORD(Filename, "filename") WORD(Line, "line") WORD(FxOp, "fx_node_op") \
    WORD(FxName, "fx_node_name") WORD(FxTarget, "fx_node_target") WORD(FxTrace, "fx_original_trace") \
    WORD(Address, "address") WORD(RequestedSize, "requested_size") WORD(State, "state") WORD(History, "history") \
    WORD(RealSize, "real_size") WORD(TotalSize, "total_size") WORD(AllocatedSize, "allocated_size") \
    WORD(ActiveSize, "active_size") WORD(SegmentType, "segment_type") WORD(SegmentPoolId, "segment_pool_id") \
    WORD(IsExpandable, "is_expandable") WORD(Blocks, "blocks") WORD(Stage, "stage") \
    WORD(Segments, "segments") WORD(DeviceTraces, "device_traces") WORD(AllocatorSettings, "allocator_settings") \
    WORD(ExternalAnnotations, "external_annotations") WORD(HostSegments, "host_segments") \
    WORD(HostTraces, "host_traces") \
    WORD(Alloc, "alloc") WORD(FreeRequested, "free_requested") WORD(FreeCompleted, "free_completed") WORD(Free, "free") \
    WORD(SegmentAlloc, "segment_alloc") WORD(SegmentFree, "segment_free") WORD(SegmentMap, "segment_map") \
    WORD(SegmentUnmap, "segment_unmap") WORD(Snapshot, "snapshot") WORD(Oom, "oom") WORD(Annotate, "annotate") \
    WORD(ActiveAllocated, "active_allocated") WORD(ActivePendingFree, "active_pending_free") \
    WORD(ActiveAwaitingFree, "active_awaiting_free") WORD(Inactive, "inactive")
// clang-format on

/// The ids of the words; 0 is the empty text.
// clang-format off
enum class Word : uint32_t {
    Empty,
#define RIFFLE_WORD(name, text) name,
    RIFFLE_SNAPSHOT_WORDS(RIFFLE_WORD)
#undef RIFFLE_WORD
    Count
};

inline constexpr std::string_view kSnapshotWords[] = {
    "",
#define RIFFLE_WORD(name, text) text,
    RIFFLE_SNAPSHOT_WORDS(RIFFLE_WORD)
#undef RIFFLE_WORD
};
// clang-format on
#undef RIFFLE_SNAPSHOT_WORDS
static_assert(std::size(kSnapshotWords) == static_cast<size_t>(Word::Count));
static_assert(static_cast<uint32_t>(Word::Count) <= 64); // sets of words are 64 bits

constexpr uint64_t wordBit(Word word) { return uint64_t(1) << static_cast<uint32_t>(word); }

} // namespace riffle
