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

/// What Kineto, the profiler in PyTorch, sends every few seconds to the daemon from which it takes requests.
struct KinetoPoll {
    bool idle = false;         ///< it would take a request now
    std::vector<int32_t> pids; ///< the process and its ancestors, as its own pid namespace numbers them; never empty
};

/// Longest datagram that is read; a poll is 60 bytes and 4 per ancestor.
inline constexpr size_t kMaxKinetoBytes = 4096;

/// Nothing when it is no poll, or none that is whole.
std::optional<KinetoPoll> parseKinetoPoll(std::string_view datagram);
/// The answer to a poll: a request in the language of Kineto's configuration, or empty for none.
std::string formatKinetoAnswer(std::string_view request);

} // namespace riffle::record
