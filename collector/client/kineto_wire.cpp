// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/kineto_wire.h"

#include <bit>
#include <cstring>

namespace riffle::record {

namespace {

static_assert(std::endian::native == std::endian::little);

/// The header of every message. Kineto allocates `bytes` without a check, so the number must be right.
struct Header {
    uint64_t bytes; ///< size of the message after the header
    char type[32];  ///< padded with NUL
};

/// The start of a poll, followed by `count` process ids.
struct PollHead {
    int32_t wanted;
    int32_t count;
    int64_t job; ///< Slurm's job number, or 0
};

constexpr char kRequestType[] = "req";
constexpr int32_t kActivities = 2; ///< bit in `wanted`: a trace may be requested; not set while one is being recorded

template <typename T>
bool take(std::string_view &from, T &to)
{
    if (from.size() < sizeof(T))
        return false;
    std::memcpy(&to, from.data(), sizeof(T));
    from.remove_prefix(sizeof(T));
    return true;
}

} // namespace

std::optional<KinetoPoll> parseKinetoPoll(std::string_view datagram)
{
    Header header;
    PollHead head;
    if (datagram.size() > kMaxKinetoBytes || !take(datagram, header) || header.bytes != datagram.size())
        return std::nullopt;
    if (std::memcmp(header.type, kRequestType, sizeof(kRequestType)) != 0 || !take(datagram, head))
        return std::nullopt;
    if (head.count < 1 || static_cast<size_t>(head.count) > datagram.size() / sizeof(int32_t))
        return std::nullopt;
    KinetoPoll poll;
    poll.idle = head.wanted & kActivities;
    poll.pids.resize(static_cast<size_t>(head.count));
    std::memcpy(poll.pids.data(), datagram.data(), poll.pids.size() * sizeof(int32_t));
    return poll;
}

std::string formatKinetoAnswer(std::string_view request)
{
    Header header{request.size(), {}};
    std::memcpy(header.type, kRequestType, sizeof(kRequestType));
    std::string answer(reinterpret_cast<const char *>(&header), sizeof(header));
    return answer.append(request);
}

} // namespace riffle::record
