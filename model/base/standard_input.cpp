// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/standard_input.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <string>
#include <unistd.h>

namespace riffle {

Result<size_t> readStandardInput(std::span<char> into, const std::stop_token &stop)
{
    constexpr int kLookMs = 100;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (!stop.stop_requested()) {
        const int ready = ::poll(&input, 1, kLookMs);
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        const ssize_t got = ready < 0 ? -1 : ::read(STDIN_FILENO, into.data(), into.size());
        if (got >= 0)
            return static_cast<size_t>(got);
        if (errno != EINTR && errno != EAGAIN)
            return Error{std::string("Standard input cannot be read: ") + std::strerror(errno) + ".", {}, std::nullopt};
    }
    return Error{"The reading of standard input was stopped.", {}, std::nullopt, ErrorKind::Cancelled};
}

} // namespace riffle
