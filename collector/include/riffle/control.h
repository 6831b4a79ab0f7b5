// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

/// The protocol by which a viewer or riffle-cli talks to the collector in a running process. The collector listens on a
/// Unix socket (SOCK_SEQPACKET) `<folder>/<pid>.sock`, see control_folder.h. One packet is one message: a Header, a
/// fixed part that consists of numbers, and a text. Both sides are on one machine, so numbers are in its native byte
/// order.
///
/// Every request has one answer of the same kind, or an Error; both carry the number that the client gave the request.
/// A Subscribe is answered immediately by a Committed; another one (request 0) follows whenever the log has grown, the
/// state has changed or another log was started. Messages from one side arrive in order.
///
/// A fixed part may grow at its end: readers take the fields that they know, and missing fields are zero. A change of
/// meaning raises kVersion, and a message of another version is answered by an Error that says so. A peer that sends
/// something other than a message, or a message that is too long, or does not read its answers, is disconnected.
namespace riffle::control {

inline constexpr uint32_t kMagic = 0x4C544352; ///< "RCTL"
inline constexpr uint16_t kVersion = 1;
inline constexpr size_t kMaxMessageBytes = 4096;
inline constexpr size_t kMaxClients = 8; ///< per process; one more is answered by an Error and disconnected
/// Flushes per second that each client may request; one more is answered by an Error. Requests that arrive within the
/// same 1/20 s share one flush.
inline constexpr int kMaxFlushesPerSecond = 20;

enum class Kind : uint16_t {
    /// Request: empty. Answer: HelloPart; text: lines of KEY=VALUE: host, collector, path of the log, session (of the
    /// log, in hexadecimal), preset, schedule, error (why the last recording ended, if it was an error), executable,
    /// command (the command line, possibly cut off; the last line).
    Hello = 1,
    Stats,     ///< answer: StatsPart; text: a line dropped.REASON=N for each reason
    Committed, ///< answer: CommittedPart
    Subscribe, ///< answer: Committed, see above
    /// Text: options of riffle_start(), added to those of the last start without its schedule and limits. The answer
    /// of Start, Resume and Set has a text if the process has Riffle's Python part: the lines of riffle_agent_says().
    Start,
    Pause, ///< ends the schedule, as Resume does
    Resume,
    Stop, ///< a later riffle_stop() of the program is not an error
    Flush,
    Dump,  ///< text: the new folder that the log's files are linked into
    Error, ///< ErrorPart, text: the message
    /// Changes a recording while it runs; text: lines of KEY=VALUE with the keys preset, schedule (or schedule=none),
    /// ranks, operators, shapes, modules, stacks and memory_history of riffle_start(). A new preset ends the log and
    /// starts another one. Ranks start the processes among them that do not record, and end and leave out the others.
    Set,
};

struct Header {
    uint32_t magic;
    uint16_t version;
    uint16_t kind;
    uint32_t request;    ///< the client's number for the request; 0 in a message that answers no request
    uint16_t fixedBytes; ///< size of the fixed part that follows the header
    uint16_t textBytes;  ///< size of the text that follows the fixed part and ends the packet
};
static_assert(sizeof(Header) == 16);

/// The same values as in riffle_stats.
enum class State : int32_t { Off = 0, Recording = 1, Paused = 2, Ended = 3, LeftOut = 4 };

enum Capability : uint32_t {
    kRecordsCuda = 1,    ///< CUPTI is armed
    kFlightRecorder = 2, ///< keep_seconds is set: only the last files are kept
    kScheduled = 4,      ///< a schedule decides which steps are recorded
    kPythonPart = 8,     ///< Riffle's Python part has been heard: it can switch operators and the memory history
    kOperators = 16,     ///< PyTorch's operators are wanted now
    kShapes = 32,        ///< with the shapes of their inputs
    kMemoryHistory = 64, ///< PyTorch's memory history is wanted now
    kModules = 128,      ///< the forward calls of modules are wanted now
};

struct HelloPart {
    uint32_t abi;                       ///< RIFFLE_ABI_VERSION
    uint32_t pid;                       ///< in the process's own pid namespace
    int32_t rank, localRank, worldSize; ///< -1 if unknown
    State state;
    uint32_t capabilities;
    uint32_t reserved;
    int64_t processStartNs; ///< start of the process, in ns since 1970; 0 if unknown
    int64_t startNs;        ///< start of the log, in ns since 1970; 0 if there is none
};

struct StatsPart {
    State state;
    uint32_t cycle; ///< cycle of the schedule, from 1; 0 before the first
    uint64_t steps; ///< number of steps that have started
    uint64_t events, dropped, bytesWritten, bytesKept, bufferBytes, threads; ///< as in riffle_stats
    uint64_t dumps; ///< number of dumps written on a signal or after a slow step
    /// The time since the last complete write began: everything that happened before is in the file, except records
    /// that CUPTI has not delivered yet. 0 while nothing is recorded. About 200 ms is normal.
    int64_t lagNs;
    uint64_t entries; ///< records that the program's threads have written into their buffers
    /// The cost of the recording since its start: the processor time of the collector's own threads, and an estimate
    /// for the entries on the program's threads: their number times 1.75 times the duration of one reading of the
    /// clock, measured at the start (an entry needs one reading, and takes 1.75 times as long). Not included: what
    /// PyTorch's observer spends on the text of an operator, and what CUPTI spends on the program's threads.
    uint64_t collectorNs, programNs;
    uint64_t elapsedNs; ///< time since the start of the recording
    uint64_t stepNs;    ///< median duration of the last 64 steps; 0 if there were none
};

/// The own cost as a share of the time, and so of a step; 1 is one core.
inline double costShare(const StatsPart &stats)
{
    return stats.elapsedNs
               ? static_cast<double>(stats.collectorNs + stats.programNs) / static_cast<double>(stats.elapsedNs)
               : 0;
}

/// The part of the log that is complete: all of its files before `sequence`, and the first `bytes` of that one.
struct CommittedPart {
    uint64_t bytes;
    uint32_t sequence; ///< number of the part file; 0 if there is no log
    uint32_t log;      ///< counts the logs of this process; when it changes, a Hello returns the new path
    State state;
    uint32_t reserved;
};

struct ErrorPart {
    int32_t code; ///< RIFFLE_E…
    uint32_t reserved;
};

/// A message, as views into its packet.
struct Message {
    Kind kind{};
    uint16_t version = 0; ///< if it is not kVersion, only kind and request can be trusted
    uint32_t request = 0;
    std::string_view fixed, text;

    /// The fixed part; fields that the sender did not send are zero.
    template <typename T>
    T as() const
    {
        T part{};
        std::memcpy(&part, fixed.data(), std::min(sizeof(part), fixed.size()));
        return part;
    }
};

/// The message in a packet; nullopt if the packet does not follow this protocol.
inline std::optional<Message> readPacket(std::string_view packet)
{
    Header header{};
    if (packet.size() < sizeof(header) || packet.size() > kMaxMessageBytes)
        return std::nullopt;
    std::memcpy(&header, packet.data(), sizeof(header));
    if (header.magic != kMagic || sizeof(header) + header.fixedBytes + header.textBytes != packet.size())
        return std::nullopt;
    packet.remove_prefix(sizeof(header));
    return Message{static_cast<Kind>(header.kind), header.version, header.request, packet.substr(0, header.fixedBytes),
                   packet.substr(header.fixedBytes)};
}

/// The packet for a message. A text that is too long is cut.
inline std::string makePacket(Kind kind, uint32_t request, std::string_view fixed, std::string_view text)
{
    text = text.substr(0, kMaxMessageBytes - sizeof(Header) - fixed.size());
    const Header header{kMagic,
                        kVersion,
                        static_cast<uint16_t>(kind),
                        request,
                        static_cast<uint16_t>(fixed.size()),
                        static_cast<uint16_t>(text.size())};
    std::string packet(reinterpret_cast<const char *>(&header), sizeof(header));
    return packet.append(fixed).append(text);
}

template <typename T>
std::string_view bytesOf(const T &part)
{
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 1024);
    return {reinterpret_cast<const char *>(&part), sizeof(part)};
}

/// The value in the KEY=VALUE line with this key; empty if there is no such line.
inline std::string_view lineOf(std::string_view text, std::string_view key)
{
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == '=')
            return line.substr(key.size() + 1);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return {};
}

} // namespace riffle::control
