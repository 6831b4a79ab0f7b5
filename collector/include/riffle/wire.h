// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The collector's log: what the collector writes and Riffle reads. Plain records and numbers only, so that both sides
/// can include it. Everything is little-endian.
///
/// A log is a folder `<host>_rank<R>_<pid>.rifflelog` (without a rank `<host>_<pid>.rifflelog`) with the files
/// `000001.part`, `000002.part`, … of at most kMaxFileBytes each. A file is a FileHeader and chunks; it is only ever
/// appended to, one write() per chunk. Every file can be read alone: strings, threads, process and clocks stand in it
/// before they are used. So rolling is deleting the oldest files, a dump is linking those that are kept, and after a
/// kill all that was written opens: a reader stops at the first chunk that is cut or whose checksum is wrong. String
/// ids hold within their file; id 0 is the empty string and never written. Thread indices hold within the log.
///
/// A chunk is a ChunkHeader and a payload of storedBytes: one zstd frame (kZstd) or the bytes themselves. The payload
/// is `columns` columns, each a ColumnHeader and its bytes, all with `rows` values. Readers skip chunk types and fields
/// that they do not know; a writer that changes the meaning of a field raises kVersion.
namespace riffle::wire {

inline constexpr char kMagic[8] = {'R', 'I', 'F', 'F', 'L', 'O', 'G', '\n'};
inline constexpr uint32_t kVersion = 1;
inline constexpr uint32_t kChunkMagic = 0x4B4E4843; ///< "CHNK"
inline constexpr uint64_t kMaxFileBytes = 64ull << 20;
inline constexpr uint32_t kMaxChunkBytes = 8u << 20; ///< of a payload, raw or stored: what a reader allocates at most
inline constexpr uint32_t kMaxTextBytes = 64u << 10; ///< of one string; longer ones are cut

struct FileHeader {
    char magic[8];
    uint32_t version;
    uint32_t headerBytes; ///< sizeof(FileHeader) of the writer: where the first chunk begins
    uint8_t session[16];  ///< random: the same in all files of a log
    uint32_t sequence;    ///< of the file, from 1
    uint32_t pid;         ///< as the process itself sees it
    int64_t monotonicNs;  ///< when the file was begun
    uint64_t reserved;
    uint64_t checksum; ///< XXH3-64 of the header with this field 0
};
static_assert(sizeof(FileHeader) == 64);

enum class ChunkType : uint16_t {
    Process = 1, ///< Key, Value: what the process is; see kProcessKeys
    Strings,     ///< Id, Bytes (lengths), Text
    Threads,     ///< Thread, OsThread, Name; a thread may come again with a new name
    Clocks,      ///< Time (CLOCK_MONOTONIC), Realtime, Boottime, Tsc
    Ranges, ///< Thread, Start, Duration, Name, Category, Domain, …: ranges that have ended, in order of their ends
    OpenRanges,  ///< Thread, Start, Name, Category, Domain: all that were open at timeEnd; replaces the one before
    Marks,       ///< Thread, Time, Name, Category, Domain
    Counters,    ///< Time, Name, Series, Number
    Kernels,     ///< Start, Duration, Name, Device, Context, Stream, Correlation, grid, block, …
    Copies,      ///< Start, Duration, Name, Device, Context, Stream, Correlation, Bytes; memory copies and memsets
    Calls,       ///< Thread, Start, Duration, Name, Category, Correlation, Result: runtime and driver API
    Syncs,       ///< Start, Duration, Name, Device, Context, Stream, Correlation, Event
    Overheads,   ///< Thread, Start, Duration, Name
    Externals,   ///< Correlation, ExternalId
    Allocations, ///< Thread, Time, Address, Bytes (negative: freed; 0: a pool changed), Device, Name, …, Allocated,
                 ///< Reserved
    Devices,     ///< Device, Key, Value: properties as in Kineto's deviceProperties
    Loss,        ///< Category (source), Count, Start, Duration: what was dropped, and between when
    Stats,       ///< Key, Number
    End,         ///< no columns: the log was closed in good order
};

enum class Field : uint16_t {
    Id = 1,
    Text,
    Key,
    Value,
    Thread,   ///< index of a thread in this log
    OsThread, ///< gettid()
    Name,
    Category,
    Domain,
    Series, ///< string ids
    Time,
    Start,
    Duration, ///< ns of CLOCK_MONOTONIC
    Realtime,
    Boottime,
    Tsc,
    Number,  ///< double
    Payload, ///< bits of a number that belongs to a range or mark; kPayload… says of what type
    PayloadKind,
    Sequence,   ///< autograd sequence number
    OperatorId, ///< PyTorch's record function id
    Shapes,     ///< string id of the raw text of the input shapes
    Color,      ///< ARGB
    Correlation,
    ExternalId,
    Device,
    Context,
    Stream,
    Bytes,
    GridX,
    GridY,
    GridZ,
    BlockX,
    BlockY,
    BlockZ,
    Registers,
    SharedMemory,
    GraphId,
    GraphNode,
    Queued,
    Submitted,
    Result,
    Event,
    Address,
    Count,
    Pool,      ///< address of the memory pool that an allocation is from
    Allocated, ///< bytes in use on the device afterwards, of what was seen since the recording began
    Reserved,  ///< likewise, with what pools keep for later
    Last = Reserved,
};

enum class Encoding : uint8_t {
    Delta = 1, ///< zigzag varints (LEB128) of the differences to the value before, wrapping at 64 bits; the first to 0
    Plain,     ///< zigzag varints of the values
    Doubles,   ///< 8 bytes each
    Texts,     ///< bytes of all strings in a row; their lengths stand in the column Bytes
};

enum ChunkFlag : uint16_t { kZstd = 1 };

struct ChunkHeader {
    uint32_t magic;
    ChunkType type;
    uint16_t flags;       ///< ChunkFlag bits
    uint32_t rawBytes;    ///< of the payload, decompressed
    uint32_t storedBytes; ///< of the payload as it follows
    uint32_t rows;
    uint32_t columns;
    int64_t timeBegin; ///< ns: first and last time in it
    int64_t timeEnd;
    uint64_t checksum; ///< XXH3-64 of the header with this field 0, combined with that of the stored payload as seed
};
static_assert(sizeof(ChunkHeader) == 48);

struct ColumnHeader {
    Field field;
    Encoding encoding;
    uint8_t reserved;
    uint32_t bytes; ///< that follow
};
static_assert(sizeof(ColumnHeader) == 8);

enum PayloadKind : uint8_t { kNoPayload = 0, kUnsigned = 1, kSigned = 2, kFloat = 3 };

/// Value where a row says nothing (0 for string ids).
inline constexpr int64_t kAbsent = INT64_MIN;

/// Categories of Ranges and Marks that mean something to readers; any other text is allowed.
inline constexpr const char *kStepCategory = "step"; ///< one training step; the name ends in #N
inline constexpr const char *kCycleCategory =
    "cycle"; ///< a mark where a schedule's recorded steps begin; its name is cycle#N
inline constexpr const char *kOperatorCategory = "cpu_op"; ///< a PyTorch operator
inline constexpr const char *kUserCategory = "user_annotation";
inline constexpr const char *kNvtxCategory = "nvtx";

/// Keys of Process chunks; a key may come again, the last one counts.
inline constexpr const char *kProcessKeys[] = {"host",       "pid",        "executable", "command", "rank",
                                               "local_rank", "world_size", "collector",  "preset",  "started",
                                               "python",     "torch",      "cupti",      "nvml"};

} // namespace riffle::wire
