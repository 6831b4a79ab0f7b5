// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/decimal.h"
#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/trace/column.h"

#include <array>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

/// The schema. Every table is a struct of columns that is defined once for all its uses: with C = Column it is the
/// sealed table, with C = Value one row, and with C = Pointer (event_blocks.h) a block of the table while a file is
/// being read. members() lists the fields in stored order; kName is the table's name in the store.
namespace riffle {

/// The value that means "not in the source" in the integer columns below.
inline constexpr int64_t kNoInt = std::numeric_limits<int64_t>::min();
inline constexpr int32_t kNoInt32 = std::numeric_limits<int32_t>::min();

/// Bits of SliceTable::flags.
namespace slice_flag {
enum : uint16_t {
    Crossing = 1 << 0,            ///< crosses a slice of its lane that is at least as long; drawn in an extra row
    Unfinished = 1 << 1,          ///< has no end event: ends where the trace ends
    NoDuration = 1 << 2,          ///< a complete event without `dur`: taken as 0
    NegativeDuration = 1 << 3,    ///< `dur` below zero: taken as 0
    Repaired = 1 << 4,            ///< the text of its event was damaged and had to be repaired
    AbsurdTime = 1 << 5,          ///< start or end beyond the range of 64-bit nanoseconds: start clamped, duration 0
    OnStream = 1 << 6,            ///< device work, which is on a GPU stream
    UnsignedCorrelation = 1 << 7, ///< `correlation` holds the bits of a uint64
    UnsignedExternalId = 1 << 8,  ///< `externalId` holds the bits of a uint64
    Annotation = 1 << 9,          ///< a user annotation on the host, or its copy on a stream
    Host = 1 << 10,               ///< recorded on the host
    LooseDigits = 1 << 11,        ///< cleared by the seal; see TraceWriter::noteOrigin
};
}

/// The side table in which a slice has a row.
enum class SliceDetail : uint8_t { None, Operator, Python, Device };

/// Slices: one row for each event with a start and an end on a lane. The rows of a segment are ordered by (drawing row,
/// start).
template <template <typename> class C>
struct SliceTableT {
    static constexpr const char *kName = "slices";
    C<Ns> start;              ///< ns on the trace's clock
    C<Ns> duration;           ///< ns, >= 0
    C<uint64_t> sourceOffset; ///< byte of the event's '{' in the (inflated) source text
    C<int64_t> correlation;   ///< CUPTI/ROCm correlation id or kNoInt
    C<int64_t> externalId;    ///< Kineto's External id or kNoInt
    C<uint32_t> sourceLength; ///< bytes of the event's text
    C<uint32_t> name;         ///< StringId
    C<uint32_t> category;     ///< StringId
    C<uint16_t> flags;        ///< slice_flag bits
    C<char> phase;            ///< the `ph` it came from: X, B, b, S
    C<SliceDetail> detail;    ///< the side table that has a row for it

    auto members()
    {
        return std::tie(start, duration, sourceOffset, correlation, externalId, sourceLength, name, category, flags,
                        phase, detail);
    }
    auto members() const { return const_cast<SliceTableT *>(this)->members(); }
};

/// The columns that the seal adds to every slice.
template <template <typename> class C>
struct NestingTableT {
    static constexpr const char *kName = "nesting";
    C<Ns> self;         ///< self time in ns: duration minus the union of the children; on streams, the duration
    C<uint32_t> parent; ///< SliceId of the shortest slice of the lane that wholly contains it, or none
    C<uint32_t> depth;  ///< number of ancestors

    auto members() { return std::tie(self, parent, depth); }
    auto members() const { return const_cast<NestingTableT *>(this)->members(); }
};

/// Operators (cpu_op): what PyTorch records about a call. Hashes are XXH3-64 of the argument's raw text, 0 if absent.
template <template <typename> class C>
struct OperatorTableT {
    static constexpr const char *kName = "operators";
    static constexpr bool kMostlyAbsent = true; ///< which of its columns have values depends on the recording
    C<uint32_t> slice;                          ///< SliceId
    C<int64_t> sequence;                        ///< Sequence number, which joins forward and backward
    C<int64_t> forwardThread;                   ///< Fwd thread id
    C<int64_t> eventIndex;                      ///< Ev Idx
    C<int64_t> recordFunction;                  ///< Record function id
    C<uint64_t> inputDims;                      ///< hash of Input Dims
    C<uint64_t> inputTypes;                     ///< hash of Input type
    C<uint64_t> inputStrides;                   ///< hash of Input Strides
    C<uint64_t> concreteInputs;                 ///< hash of Concrete Inputs
    C<uint64_t> callStack;                      ///< hash of Call stack
    C<uint64_t> moduleHierarchy;                ///< hash of Module Hierarchy

    auto members()
    {
        return std::tie(slice, sequence, forwardThread, eventIndex, recordFunction, inputDims, inputTypes, inputStrides,
                        concreteInputs, callStack, moduleHierarchy);
    }
    auto members() const { return const_cast<OperatorTableT *>(this)->members(); }
};

/// Python frames (python_function).
template <template <typename> class C>
struct PythonTableT {
    static constexpr const char *kName = "python";
    C<uint32_t> slice;     ///< SliceId
    C<int64_t> pythonId;   ///< Python id
    C<int64_t> parentId;   ///< Python parent id, kNoInt for null
    C<int64_t> moduleId;   ///< Python module id: only on nn.Module calls
    C<int64_t> eventIndex; ///< Ev Idx

    auto members() { return std::tie(slice, pythonId, parentId, moduleId, eventIndex); }
    auto members() const { return const_cast<PythonTableT *>(this)->members(); }
};

/// Device work: kernels, copies, memsets, stream synchronisations.
template <template <typename> class C>
struct DeviceTableT {
    static constexpr const char *kName = "device";
    static constexpr bool kMostlyAbsent = true;
    C<uint32_t> slice;  ///< SliceId
    C<uint32_t> launch; ///< SliceId of the runtime or driver call with the same correlation, or none
    C<int64_t> context;
    C<int64_t> stream;
    C<int64_t> bytes; ///< size of a copy or memset
    C<int64_t> graphId;
    C<int64_t> graphNode;
    C<int32_t> device;
    C<std::array<int32_t, 3>> grid;
    C<std::array<int32_t, 3>> block;
    C<int32_t> registers;    ///< per thread
    C<int32_t> sharedMemory; ///< bytes, static and dynamic
    C<float> blocksPerSm;    ///< NaN if absent
    C<float> warpsPerSm;     ///< NaN if absent
    C<float> occupancy;      ///< estimated achieved (old files: theoretical), percent; NaN if absent

    auto members()
    {
        return std::tie(slice, launch, context, stream, bytes, graphId, graphNode, device, grid, block, registers,
                        sharedMemory, blocksPerSm, warpsPerSm, occupancy);
    }
    auto members() const { return const_cast<DeviceTableT *>(this)->members(); }
};

/// Collectives, as recorded on record_param_comms operators and, in newer files, again on the kernels.
template <template <typename> class C>
struct CollectiveTableT {
    static constexpr const char *kName = "collectives";
    C<uint32_t> slice;            ///< SliceId
    C<uint32_t> operation;        ///< StringId of Collective name
    C<uint32_t> dataType;         ///< StringId of dtype
    C<uint32_t> group;            ///< StringId of Process Group Name
    C<uint32_t> groupDescription; ///< StringId of Process Group Description
    C<uint32_t> groupRanks;       ///< StringId of Process Group Ranks, raw text
    C<int64_t> inElements;        ///< In msg nelems
    C<int64_t> outElements;       ///< Out msg nelems
    C<int64_t> groupSize;
    C<int64_t> rank;
    C<int64_t> sourceRank;
    C<int64_t> destinationRank;
    C<int64_t> sequence; ///< Seq, which counts per process group
    C<int64_t> commsId;  ///< bits of Comms Id
    C<RawId::Kind> commsIdKind;
    C<uint64_t> inSplit;  ///< hash of In split size
    C<uint64_t> outSplit; ///< hash of Out split size

    auto members()
    {
        return std::tie(slice, operation, dataType, group, groupDescription, groupRanks, inElements, outElements,
                        groupSize, rank, sourceRank, destinationRank, sequence, commsId, commsIdKind, inSplit,
                        outSplit);
    }
    auto members() const { return const_cast<CollectiveTableT *>(this)->members(); }
};

/// Synchronisations on streams (cuda_sync).
template <template <typename> class C>
struct SyncTableT {
    static constexpr const char *kName = "syncs";
    C<uint32_t> slice;          ///< SliceId
    C<uint32_t> kind;           ///< StringId of cuda_sync_kind
    C<int64_t> waitStream;      ///< wait_on_stream
    C<int64_t> waitEvent;       ///< wait_on_cuda_event_id
    C<int64_t> waitCorrelation; ///< wait_on_cuda_event_record_corr_id

    auto members() { return std::tie(slice, kind, waitStream, waitEvent, waitCorrelation); }
    auto members() const { return const_cast<SyncTableT *>(this)->members(); }
};

/// Allocations and releases as profile_memory records them ([memory]). Ordered by (time, source offset).
template <template <typename> class C>
struct MemoryTableT {
    static constexpr const char *kName = "memory";
    C<Ns> time;
    C<uint64_t> address;       ///< 0 in old files
    C<int64_t> bytes;          ///< negative if freed
    C<int64_t> totalAllocated; ///< bytes allocated on the device afterwards, or kNoInt
    C<int64_t> totalReserved;  ///< bytes reserved on the device afterwards, or kNoInt
    C<int64_t> eventIndex;     ///< Ev Idx
    C<uint64_t> sourceOffset;
    C<uint32_t> sourceLength;
    C<uint32_t> lane;      ///< LaneId of the thread on which it happened
    C<int32_t> deviceType; ///< c10::DeviceType: 0 CPU, 1 CUDA, 6 HIP …
    C<int32_t> deviceId;   ///< -1 for the CPU

    auto members()
    {
        return std::tie(time, address, bytes, totalAllocated, totalReserved, eventIndex, sourceOffset, sourceLength,
                        lane, deviceType, deviceId);
    }
    auto members() const { return const_cast<MemoryTableT *>(this)->members(); }
};

/// Events without a duration (i, I, n, R, O, N, D …). Ordered by (lane, time).
template <template <typename> class C>
struct InstantTableT {
    static constexpr const char *kName = "instants";
    C<Ns> time;
    C<uint64_t> sourceOffset;
    C<uint32_t> sourceLength;
    C<uint32_t> name;     ///< StringId
    C<uint32_t> category; ///< StringId
    C<uint32_t> lane;     ///< LaneId
    C<char> phase;
    C<char> scope; ///< g, p, t or 0

    auto members() { return std::tie(time, sourceOffset, sourceLength, name, category, lane, phase, scope); }
    auto members() const { return const_cast<InstantTableT *>(this)->members(); }
};

/// Samples of counters (C). Ordered by (lane, series, time); a lane is one counter, a series one key of its arguments.
template <template <typename> class C>
struct CounterTableT {
    static constexpr const char *kName = "counters";
    C<Ns> time;
    C<double> value;
    C<uint64_t> sourceOffset;
    C<uint32_t> sourceLength;
    C<uint32_t> lane;   ///< LaneId
    C<uint32_t> series; ///< StringId of the argument's key

    auto members() { return std::tie(time, value, sourceOffset, sourceLength, lane, series); }
    auto members() const { return const_cast<CounterTableT *>(this)->members(); }
};

/// Points of flow arrows (s, t, f). Ordered by (category, id, time, source offset), so one arrow's points are adjacent.
template <template <typename> class C>
struct FlowTableT {
    static constexpr const char *kName = "flows";
    C<Ns> time;
    C<int64_t> id; ///< bits of the id, or the hash of its text if it is not a number
    C<uint64_t> sourceOffset;
    C<uint32_t> sourceLength;
    C<uint32_t> category; ///< StringId; ids are unique only within a category (ac2g, fwdbwd …)
    C<uint32_t> lane;     ///< LaneId
    C<uint32_t> slice;    ///< SliceId that the point is bound to, or none
    C<char> phase;        ///< s, t, f
    C<uint8_t> enclosing; ///< 1 if bound to the enclosing slice (bp "e"), 0 if to the next one

    auto members() { return std::tie(time, id, sourceOffset, sourceLength, category, lane, slice, phase, enclosing); }
    auto members() const { return const_cast<FlowTableT *>(this)->members(); }
};

using SliceTable = SliceTableT<Column>;
using SliceRow = SliceTableT<Value>;
using NestingTable = NestingTableT<Column>;
using OperatorTable = OperatorTableT<Column>;
using OperatorRow = OperatorTableT<Value>;
using PythonTable = PythonTableT<Column>;
using PythonRow = PythonTableT<Value>;
using DeviceTable = DeviceTableT<Column>;
using DeviceRow = DeviceTableT<Value>;
using CollectiveTable = CollectiveTableT<Column>;
using CollectiveRow = CollectiveTableT<Value>;
using SyncTable = SyncTableT<Column>;
using SyncRow = SyncTableT<Value>;
using MemoryTable = MemoryTableT<Column>;
using MemoryRow = MemoryTableT<Value>;
using InstantTable = InstantTableT<Column>;
using InstantRow = InstantTableT<Value>;
using CounterTable = CounterTableT<Column>;
using CounterRow = CounterTableT<Value>;
using FlowTable = FlowTableT<Column>;
using FlowRow = FlowTableT<Value>;

/// Returns rows [first, first + count) of a table, clipped to it; they share its memory.
template <typename Table>
Table tablePart(const Table &all, size_t first, size_t count)
{
    return [&]<size_t... Column>(std::index_sequence<Column...>)
    {
        Table part;
        ((std::get<Column>(part.members()) = std::get<Column>(all.members()).slice(first, count)), ...);
        return part;
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(all.members())>>());
}

} // namespace riffle
