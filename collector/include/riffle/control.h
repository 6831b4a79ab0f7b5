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

/// How a viewer or riffle-cli talks to the collector in a running process. The collector listens on a Unix socket
/// (SOCK_SEQPACKET) `<folder>/<pid>.sock`, see control_folder.h. One packet is one message: a Header, a fixed part of
/// plain numbers and a text. Both sides are on one machine, so numbers are in its own byte order.
///
/// Every request has one answer of the same kind, or an Error; both carry the number that the asker gave the request.
/// A Subscribe is answered by a Committed at once, and by one more (request 0) whenever the log has grown, the state
/// has changed or another log was begun. Messages of a side come in order.
///
/// A fixed part may grow at its end: readers take what they know, and what is missing is zero. A change of meaning
/// raises kVersion, and a message of another version is answered by an Error that says so. A peer that sends what is no
/// message, or too much, or does not read its answers, is disconnected.
namespace riffle::control {

inline constexpr uint32_t kMagic = 0x4C544352; ///< "RCTL"
inline constexpr uint16_t kVersion = 1;
inline constexpr size_t kMaxMessageBytes = 4096;
inline constexpr size_t kMaxClients = 8; ///< of a process; one more is answered by an Error and disconnected

enum class Kind : uint16_t {
    Hello = 1, ///< asked: nothing; answered: HelloPart, text: lines of KEY=VALUE (host, path, collector, executable)
    Stats,     ///< answered: StatsPart
    Committed, ///< answered: CommittedPart
    Subscribe, ///< answered: Committed, see above
    Start, ///< text: options of riffle_start() over those of the last start; its schedule and limits do not come back
    Pause, ///< like Resume it ends what a schedule decides
    Resume,
    Stop, ///< the program's own riffle_stop() afterwards is no error
    Flush,
    Dump,  ///< text: the new folder that the log's files are linked into
    Error, ///< ErrorPart, text: the sentence
};

struct Header {
    uint32_t magic;
    uint16_t version;
    uint16_t kind;
    uint32_t request;    ///< the asker's number; 0 in what nobody asked for
    uint16_t fixedBytes; ///< of the part that follows the header
    uint16_t textBytes;  ///< of the text behind it: to the packet's end
};
static_assert(sizeof(Header) == 16);

/// As in riffle_stats.
enum class State : int32_t { Off = 0, Recording = 1, Paused = 2, Ended = 3, LeftOut = 4 };

enum Capability : uint32_t {
    kRecordsCuda = 1,    ///< CUPTI is armed
    kFlightRecorder = 2, ///< keep_seconds: only the last files are kept
    kScheduled = 4,      ///< a schedule decides which steps are recorded
};

struct HelloPart {
    uint32_t abi;                       ///< RIFFLE_ABI_VERSION
    uint32_t pid;                       ///< as the process itself sees it
    int32_t rank, localRank, worldSize; ///< -1: not known
    State state;
    uint32_t capabilities;
    uint32_t reserved;
};

struct StatsPart {
    State state;
    uint32_t cycle; ///< of the schedule, from 1; 0 before the first
    uint64_t steps; ///< that have begun
    uint64_t events, dropped, bytesWritten, bytesKept, bufferBytes, threads; ///< as in riffle_stats
    uint64_t dumps;                                                          ///< made by a signal or after a slow step
};

/// Up to where the log is whole: all of its files before `sequence`, and `bytes` of that one.
struct CommittedPart {
    uint64_t bytes;
    uint32_t sequence; ///< of the part file; 0: there is no log
    uint32_t log;      ///< counts the logs of this process: when it changes, a Hello has the new path
    State state;
    uint32_t reserved;
};

struct ErrorPart {
    int32_t code; ///< RIFFLE_E…
    uint32_t reserved;
};

/// A message within its packet.
struct Message {
    Kind kind{};
    uint16_t version = 0; ///< another one than kVersion: nothing but kind and request is to be trusted
    uint32_t request = 0;
    std::string_view fixed, text;

    /// The fixed part; what the sender did not have is zero.
    template <typename T>
    T as() const
    {
        T part{};
        std::memcpy(&part, fixed.data(), std::min(sizeof(part), fixed.size()));
        return part;
    }
};

/// Nothing when the packet is none of ours.
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

/// The packet of a message. A text that is too long is cut.
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

/// Value of a KEY=VALUE line; empty when there is none.
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
