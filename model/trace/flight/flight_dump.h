// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/time.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// How far a collective came, as the watchdog knew when the dump was written. Backends without events of their own
/// (gloo) leave all of theirs at Scheduled; see FlightDump::tracksState().
enum class FlightState : uint8_t { Unknown, Scheduled, Started, Completed };
std::string_view flightStateName(FlightState state);

/// The sizes and types of the tensors of one side of a collective.
struct FlightTensors {
    uint32_t sizes = 0;    ///< id of the text, such as "[[16, 4]]"
    uint32_t dtypes = 0;   ///< id of the text, such as "Float, Float"
    int64_t elements = -1; ///< of all tensors together; -1 if that is not known
    uint32_t count = 0;    ///< number of tensors
};

/// One call of a collective, a send or a receive.
struct FlightEntry {
    static constexpr int64_t kNone = INT64_MIN; ///< a number that is not recorded

    int64_t record = kNone;      ///< counts all entries of the process, also those that the ring has lost
    uint32_t group = 0;          ///< index in FlightDump::groups
    int64_t sequence = kNone;    ///< counts collectives of the group (`collective_seq_id`)
    int64_t p2pSequence = kNone; ///< counts sends and receives of the group (`p2p_seq_id`)
    int64_t operation = kNone;   ///< counts logical operations; several may share one launch (`op_id`)
    uint32_t name = 0;           ///< id of the text, such as "nccl:all_reduce" or "nccl:send 0->1"
    FlightTensors inputs, outputs;
    Ns created = kNone; ///< when the process made the call: Unix time of its host
    int64_t timeoutMs = kNone;
    double durationMs = -1; ///< measured on the device; negative if it is not recorded
    uint32_t stack = 0;     ///< index of the stack; 0 if none was recorded
    FlightState state = FlightState::Unknown;
    bool isP2p = false;
    bool isRetired = false; ///< the watchdog is done with it: it completed, or its time ran out
};

/// When the watchdog noticed that a collective started and completed: Unix time, or FlightEntry::kNone. It looks only
/// now and then and can be late by seconds, so these times are no measurements: they are kept apart from the entries,
/// and nothing subtracts them from `created`.
struct DiscoveredTimes {
    Ns started = FlightEntry::kNone;
    Ns completed = FlightEntry::kNone;
};

/// A process group as the entries of a dump name it.
struct FlightGroup {
    int64_t id = FlightEntry::kNone; ///< of the process, in the order in which it made its groups (`pg_id`)
    std::string name, description;
    std::vector<int64_t> ranks; ///< global ranks, ascending; empty if the dump does not say
    int64_t lastEnqueued = FlightEntry::kNone, lastStarted = FlightEntry::kNone, lastCompleted = FlightEntry::kNone;
    bool isListed = false; ///< true if `ranks` is from the list of groups (`pg_config`) and complete
};

struct FlightFrame {
    uint32_t name = 0, file = 0; ///< ids of texts
    int64_t line = 0;
};

/// A dump of PyTorch's Flight Recorder: the last collectives of one process, from a ring of limited size. It never
/// changes once it is read.
class FlightDump {
public:
    std::string path;
    std::string container; ///< "pickle", "JSON", "pickle in gzip", …
    uint64_t fileBytes = 0;
    std::string version;         ///< of the form of the dump, such as "2.10"
    std::string library;         ///< version of the communication library; may be empty
    std::optional<int64_t> rank; ///< from the file's name; dumps do not contain it
    bool isRankGuessed = false;  ///< true if the name only ends with a number and does not say that it is the rank
    std::vector<FlightGroup> groups;
    std::vector<FlightEntry> entries;        ///< in the order in which they were recorded
    std::vector<DiscoveredTimes> discovered; ///< one per entry
    std::vector<std::string> texts;          ///< by id; 0 is the empty text
    std::vector<FlightFrame> frames;
    std::vector<uint32_t> stackBegin;  ///< one more than there are stacks; stack 0 is empty
    std::vector<uint32_t> stackFrames; ///< indices of frames, innermost first
    uint64_t statuses = 0;             ///< groups in which the process made a call, whether the dump has it or not
    uint64_t communicators = 0;        ///< states of NCCL communicators in the dump, which are not read
    uint64_t unreadable = 0;           ///< fields of another type than expected, which are left out
    uint64_t lostEntries = 0;          ///< those of them that stand where an entry should, so a call is missing
    std::optional<Error> damage;       ///< why the file could not be read to its end; everything before that is here

    std::string_view text(uint32_t id) const { return texts[id]; }
    std::span<const uint32_t> stack(uint32_t id) const
    {
        return std::span(stackFrames).subspan(stackBegin[id], stackBegin[id + 1] - stackBegin[id]);
    }
    /// True if the ring has lost its oldest entries, or if the dump was asked for active entries only; the latter can
    /// also begin with the first entry and have holes behind it.
    bool isWrapped() const { return !entries.empty() && entries.front().record > 0; }
    /// True if some entry has a state other than "scheduled" or is a call of NCCL, so that the states mean something.
    /// Otherwise, only FlightEntry::isRetired says that the backend is done with a call, which can have failed.
    bool tracksState() const;
    /// The largest rank of any group + 1; nothing if no group lists its ranks.
    std::optional<int64_t> worldSize() const;
};

} // namespace riffle
