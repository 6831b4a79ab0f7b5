// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle::record {

/// The message that Kineto, the profiler in PyTorch, sends every few seconds to the daemon from which it takes
/// requests.
struct KinetoPoll {
    bool idle = false;         ///< true if it would accept a request now
    std::vector<int32_t> pids; ///< the process and its ancestors, in its own pid namespace; never empty
};

/// The longest datagram that is read; a poll has 60 bytes plus 4 per ancestor.
inline constexpr size_t kMaxKinetoBytes = 4096;

/// The poll in a datagram; nullopt if it is not a complete poll.
std::optional<KinetoPoll> parseKinetoPoll(std::string_view datagram);
/// The answer to a poll. `request` uses the syntax of Kineto's configuration; empty if there is no request.
std::string formatKinetoAnswer(std::string_view request);

} // namespace riffle::record
