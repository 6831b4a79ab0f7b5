// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/decimal.h"
#include "model/base/time.h"
#include "model/trace/import_report.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace riffle {

/// Integer arguments that have their own column.
enum class IntArg : uint8_t {
    Correlation,
    ExternalId,
    Sequence,
    ForwardThread,
    EventIndex,
    RecordFunction,
    PythonId,
    PythonParent,
    PythonModule,
    Device,
    Context,
    Stream,
    Registers,
    SharedMemory,
    GraphId,
    GraphNode,
    Bytes,
    Address,
    MemoryBytes,
    DeviceType,
    DeviceId,
    TotalAllocated,
    TotalReserved,
    InElements,
    OutElements,
    GroupSize,
    Rank,
    SourceRank,
    DestinationRank,
    CollectiveSequence,
    CommsId,
    WaitStream,
    WaitEvent,
    WaitCorrelation,
    SortIndex,
    Count
};
/// Arguments whose columns contain the hash of the raw text.
enum class HashArg : uint8_t {
    InputDims,
    InputTypes,
    InputStrides,
    ConcreteInputs,
    CallStack,
    ModuleHierarchy,
    InSplit,
    OutSplit,
    Count
};
/// Arguments that are interned as text.
enum class TextArg : uint8_t {
    CollectiveName,
    DataType,
    GroupName,
    GroupDescription,
    GroupRanks,
    SyncKind,
    Name,
    Labels,
    StartTime,
    Place,
    Count
};
enum class FloatArg : uint8_t { BlocksPerSm, WarpsPerSm, Occupancy, Count };
enum class VectorArg : uint8_t { Grid, Block, Count };

/// The meaning of a key of an event (or of its args), which determines how its value is read.
struct EventField {
    enum class Kind : uint8_t {
        Unknown,
        Phase,
        Category,
        Name,
        Pid,
        Tid,
        Ts,
        Dur,
        Id,
        BindPoint,
        Scope,
        AsyncScope,
        Args,
        Int,
        Hash,
        Text,
        Float,
        Vector
    };
    Kind kind = Kind::Unknown;
    uint8_t index = 0;
};

/// Returns the field of a key, at the event's top level or inside its args.
EventField fieldOf(std::string_view key, bool inArgs);

/// One event as read, before it becomes rows. The string views point into the source text or into `scratch`.
struct EventRecord {
    enum class TimeState : uint8_t { Absent, Good, Bad, Absurd };
    uint64_t offset = 0; ///< position of its '{' in the source text
    uint32_t length = 0;
    std::string_view text; ///< its source text
    std::string_view phase, category, name;
    std::string_view pid, tid, id; ///< raw JSON, empty if absent
    std::string_view asyncScope;   ///< `scope` of async events
    Ns ts = 0, dur = 0;
    TimeState tsState = TimeState::Absent, durState = TimeState::Absent;
    char bindPoint = 0, scope = 0;
    bool hasName = false, hasArgs = false, repaired = false;
    uint64_t topSeen = 0; ///< one bit per EventField::Kind
    uint64_t intSeen = 0;
    uint64_t intUnsigned = 0; ///< one bit per IntArg: the value is the bits of a uint64
    uint32_t hashSeen = 0, textSeen = 0, floatSeen = 0, vectorSeen = 0;
    std::array<int64_t, size_t(IntArg::Count)> ints;
    std::array<uint64_t, size_t(HashArg::Count)> hashes;
    std::array<std::string_view, size_t(TextArg::Count)> texts;
    std::array<float, size_t(FloatArg::Count)> floats;
    std::array<std::array<int32_t, 3>, size_t(VectorArg::Count)> vectors;
    std::deque<std::string> scratch; ///< unescaped strings
    uint32_t wrongTypes = 0, outOfRange = 0, duplicates = 0;

    /// Returns the time of the event in ns, of any size; nullopt if there is none or the text of the event is damaged.
    std::optional<WideInteger> wideTime() const;
    /// Replaces the time, which is read again from the text, by the time since an origin in ns.
    void countFrom(WideInteger origin);
    /// Clears the event. The arrays keep stale values; the bits that mark values as present are cleared.
    void clear();
    /// Reads a value, given as validated raw JSON text, into its field. Counts values of an unexpected type.
    void set(EventField field, std::string_view raw);

    bool has(IntArg arg) const { return intSeen >> static_cast<unsigned>(arg) & 1; }
    int64_t intOr(IntArg arg, int64_t otherwise) const { return has(arg) ? ints[size_t(arg)] : otherwise; }
    bool has(TextArg arg) const { return textSeen >> static_cast<unsigned>(arg) & 1; }
    bool has(VectorArg arg) const { return vectorSeen >> static_cast<unsigned>(arg) & 1; }
    float floatOrNan(FloatArg arg) const;
    uint64_t hashOrZero(HashArg arg) const
    {
        return hashSeen >> static_cast<unsigned>(arg) & 1 ? hashes[size_t(arg)] : 0;
    }

private:
    std::string_view plain(std::string_view raw);
    void setTime(std::string_view raw, Ns &time, TimeState &state);
    void setInt(uint8_t index, std::string_view raw);
    void setVector(uint8_t index, std::string_view raw);
};

/// Returns the hash of an argument's raw text, by which shapes, types and stacks are grouped. Never 0.
uint64_t rawTextHash(std::string_view raw);
/// Appends the content of a JSON string (without quotes, with valid escapes) to `out`, unescaped.
void unescapeJson(std::string_view content, std::string &out);

} // namespace riffle
