// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The format of the collector's log, which the collector writes and Riffle reads. It is defined by plain structs and
/// numbers only, so that both sides can include this file. Everything is little-endian.
///
/// A log is a folder `<host>_rank<R>_<pid>.rifflelog` (without a rank `<host>_<pid>.rifflelog`) with the files
/// `000001.part`, `000002.part`, … of at most kMaxFileBytes each. A file is a FileHeader followed by chunks; it is only
/// ever appended to, one write() per chunk. Every file can be read alone: it contains strings, threads, process and
/// clocks before they are used. So rolling means deleting the oldest files, and a dump means linking the files that are
/// kept. After a kill, everything that was written can be read: a reader stops at the first chunk that is cut or has a
/// wrong checksum. String ids are valid within their file; id 0 is the empty string and is never written. Thread
/// indices are valid within the log.
///
/// The file kStepsFile in the same folder has only StepSummaries chunks, its number is 0, and it is never deleted: it
/// tells about steps whose details were in files that no longer exist. A row takes a few dozen bytes.
///
/// A chunk is a ChunkHeader followed by a payload of storedBytes: one zstd frame (kZstd) or the raw bytes. The payload
/// consists of `columns` columns, each a ColumnHeader and its bytes, all with `rows` values. Readers skip chunk types
/// and fields that they do not know; a writer that changes the meaning of a field raises kVersion.
namespace riffle::wire {

inline constexpr char kMagic[8] = {'R', 'I', 'F', 'F', 'L', 'O', 'G', '\n'};
inline constexpr uint32_t kVersion = 1;
inline constexpr const char *kStepsFile = "000000.part";
inline constexpr uint32_t kChunkMagic = 0x4B4E4843; ///< "CHNK"
inline constexpr uint64_t kMaxFileBytes = 64ull << 20;
inline constexpr uint32_t kMaxChunkBytes = 8u << 20; ///< largest payload, raw or stored: the most a reader allocates
inline constexpr uint32_t kMaxTextBytes = 64u << 10; ///< longest string; longer ones are cut

struct FileHeader {
    char magic[8];
    uint32_t version;
    uint32_t headerBytes; ///< the writer's sizeof(FileHeader): the offset of the first chunk
    uint8_t session[16];  ///< random; the same in all files of a log
    uint32_t sequence;    ///< number of the file, from 1
    uint32_t pid;         ///< in the process's own pid namespace
    int64_t monotonicNs;  ///< time when the file was created
    uint64_t reserved;
    uint64_t checksum; ///< XXH3-64 of the header with this field set to 0
};
static_assert(sizeof(FileHeader) == 64);

enum class ChunkType : uint16_t {
    Process = 1, ///< Key, Value: information about the process; see kProcessKeys
    Strings,     ///< Id, Bytes (lengths), Text
    Threads,     ///< Thread, OsThread, Name, SampledEvery; a thread may occur again with a new name
    Clocks,      ///< Time (CLOCK_MONOTONIC), Realtime, Boottime, Tsc
    Ranges, ///< Thread, Start, Duration, Name, Category, Domain, …, Values: ranges that have ended, in order of their
            ///< ends
    OpenRanges, ///< Thread, Start, Name, Category, Domain, Stack: all ranges open at timeEnd; replaces the previous
                ///< such chunk
    Marks,      ///< Thread, Time, Name, Category, Domain
    Counters,   ///< Time, Name, Series, Number
    Kernels,    ///< Start, Duration, Name, Device, Context, Stream, Correlation, grid, block, …
    Copies,     ///< Start, Duration, Name, Device, Context, Stream, Correlation, Bytes; memory copies and memsets
    Calls,      ///< Thread, Start, Duration, Name, Category, Correlation, Result: runtime and driver API
    Syncs,      ///< Start, Duration, Name, Device, Context, Stream, Correlation, Event
    Overheads,  ///< Thread, Start, Duration, Name
    Externals,  ///< Correlation, ExternalId
    Allocations, ///< Thread, Time, Address, Bytes (negative if freed, 0 if a pool changed), Device, Name, …, Allocated,
                 ///< Reserved
    Devices, ///< Device, Key, Value: properties as in Kineto's deviceProperties
    Loss,    ///< Category (source), Count, Start, Duration: how many events were dropped, and when
    Stats,   ///< Key, Number
    End,     ///< no columns: the log was closed properly
    Gaps, ///< Thread (absent: the whole process), Category (source: see kGapSources), Name (reason), Start, Duration:
          ///< times in which a source recorded nothing although the log goes on
    OpenGaps, ///< Thread, Category, Name, Start: all gaps that are open at timeEnd; replaces the previous such chunk
    Settled,  ///< Category (source: see kSettledSources), Time: everything of the source that happened before is in the
              ///< log
    StepSummaries, ///< Id (the number of the step), Thread, Start, Duration, OperatorTime, WaitTime, Device,
                   ///< KernelTime, BusyTime, ExposedTime, IdleTime, MissingTime, MemoryPeak, CommunicationTime: one
                   ///< row per step and device
    PythonFrames,  ///< Id, Parent, Name, File, FirstLine, Line: the frames of Python stacks, as the nodes of a tree
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
    Series, ///< Key, Value, Name, Category, Domain and Series are string ids
    Time,
    Start,
    Duration, ///< Time, Start and Duration are in ns of CLOCK_MONOTONIC
    Realtime,
    Boottime,
    Tsc,
    Number,  ///< double
    Payload, ///< bits of a number that belongs to a range or mark; PayloadKind is its type
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
    Pool,      ///< address of the memory pool that an allocation comes from
    Allocated, ///< bytes in use on the device afterwards, counting only what was seen since the recording started
    Reserved,  ///< the same plus what pools keep for later
    // Figures of a step, in ns of its own time; absent if they are not known. Work that reaches into time that was not
    // recorded counts up to there, so that BusyTime, IdleTime and MissingTime make up the step.
    OperatorTime, ///< the outermost PyTorch operators of its thread
    WaitTime,     ///< its thread's calls that return when a device is done
    KernelTime,   ///< any kernel ran on the device
    BusyTime,     ///< any kernel, copy or memset ran on the device
    ExposedTime,  ///< a kernel of a communication library ran (known by its name), and no other kernel
    IdleTime,     ///< nothing ran on the device, although it was recorded
    MissingTime,  ///< device work was not recorded
    MemoryPeak,   ///< the most bytes in use on the device in that time
    // Python stacks. Ids of frames are valid within their file and start with 1.
    Stack,     ///< of a range: the id of the innermost frame of the stack from which it was called; 0: not recorded
    Parent,    ///< the id of the frame around it, which comes before it; 0: this is the outermost frame
    File,      ///< string id of the path of the source
    FirstLine, ///< the line where the code of the frame starts
    Line,      ///< the line that was running; of a frame without a name: the number of outer frames left out
    // Facts about an operator, from an observer that knows them; the last three are string ids of JSON with an entry
    // per input.
    ForwardThread, ///< PyTorch's number of the thread of the forward operator; 0: it is a forward operator itself
    Types,         ///< the types of the inputs, as PyTorch's profiler writes them
    Strides,       ///< the strides of those that are tensors
    Values,        ///< the values of those that are scalars
    /// A thread with this field is a lane of its own beside the thread's, whose ranges are known from samples of
    /// the thread at this interval in ns. A range starts with a sample and ends at most one interval after its last
    /// one, so the lane is up to an interval behind. 0: the lane of the thread itself, with exact times.
    SampledEvery,
    Collective,         ///< of the call of a process group: string id of a text with a line for each of kCollectiveKeys
    CollectiveSequence, ///< the number of the call within its group
    CommunicationTime,  ///< figure of a step: a kernel of a communication library ran (known by its name)
    Last = CommunicationTime,
};

enum class Encoding : uint8_t {
    Delta = 1, ///< zigzag varints (LEB128) of the differences from the previous value (0 at first), wrapping at 64 bits
    Plain,     ///< zigzag varints of the values
    Doubles,   ///< 8 bytes each
    Texts,     ///< the bytes of all strings, concatenated; the column Bytes contains their lengths
};

enum ChunkFlag : uint16_t { kZstd = 1 };

struct ChunkHeader {
    uint32_t magic;
    ChunkType type;
    uint16_t flags;       ///< ChunkFlag bits
    uint32_t rawBytes;    ///< size of the decompressed payload
    uint32_t storedBytes; ///< size of the payload as stored after this header
    uint32_t rows;
    uint32_t columns;
    int64_t timeBegin; ///< ns: first and last time in the chunk
    int64_t timeEnd;
    uint64_t checksum; ///< XXH3-64 of the header with this field set to 0, seeded with that of the stored payload
};
static_assert(sizeof(ChunkHeader) == 48);

struct ColumnHeader {
    Field field;
    Encoding encoding;
    uint8_t reserved;
    uint32_t bytes; ///< size of the data that follows
};
static_assert(sizeof(ColumnHeader) == 8);

enum PayloadKind : uint8_t { kNoPayload = 0, kUnsigned = 1, kSigned = 2, kFloat = 3 };

/// The value of a field that is not set in a row (string ids use 0).
inline constexpr int64_t kAbsent = INT64_MIN;

/// The categories of Ranges and Marks that have a meaning for readers; any other text is allowed.
inline constexpr const char *kStepCategory = "step";       ///< one training step; the name ends in #N
inline constexpr const char *kCycleCategory = "cycle";     ///< marks the start of a recorded cycle; its name is cycle#N
inline constexpr const char *kOperatorCategory = "cpu_op"; ///< an operator of PyTorch or Paddle
inline constexpr const char *kUserCategory = "user_annotation";
inline constexpr const char *kFrameCategory = "python_function"; ///< a Python call, or a call of a torch.nn module
inline constexpr const char *kNvtxCategory = "nvtx";
// The categories of Paddle's events: Dataloader, Forward, Backward, Optimization and Communication, as in the traces of
// its profiler.

/// The sources whose gaps have a meaning for readers; any other text is allowed.
inline constexpr const char *kEverything = "recording";     ///< all events: the recording was paused
inline constexpr const char *kCudaSource = "cuda";          ///< what CUPTI reports: device work and CUDA calls
inline constexpr const char *kOperatorSource = "operators"; ///< PyTorch's operators on a thread
inline constexpr const char *kThreadSource = "threads";     ///< ranges, marks and counters of the program's threads
inline constexpr const char *kGapSources[] = {kEverything, kCudaSource, kOperatorSource};

/// The sources of Settled chunks. The last row of a source counts. A thread that is interrupted while it writes a
/// record may add one from shortly before the time. For CUDA, the time is the start of the oldest call that launched a
/// kernel whose record is missing; after some seconds such a kernel counts as lost, with a row in Loss. (If it has only
/// run for that long, its record still comes.) There is no row for CUDA while CUPTI does not record.
inline constexpr const char *kSettledSources[] = {kThreadSource, kCudaSource};

/// The keys of Process chunks; a key may occur again, and the last value counts.
inline constexpr const char *kProcessKeys[] = {
    "host",    "pid",    "executable", "command", "rank",  "local_rank", "world_size", "collector", "preset",
    "started", "python", "torch",      "paddle",  "cupti", "nvml",       "stacks",     "operators"};
/// A key of a Process chunk with this prefix is metadata of the program: its value is JSON, which belongs at the top of
/// the trace under the rest of the key.
inline constexpr const char *kMetadataPrefix = "metadata:";

/// The lines of a text about a collective, under the names that PyTorch's profiler gives to its arguments. A line is
/// empty, or missing at the end, if nothing is known.
inline constexpr const char *kCollectiveKeys[] = {
    "Collective name",    "dtype",          "Process Group Name", "Process Group Description",
    "In msg nelems",      "Out msg nelems", "Group size",         "Rank",
    "Src Rank",           "Dst Rank",       "In split size",      "Out split size",
    "Process Group Ranks"};

} // namespace riffle::wire
