// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace riffle::record {

/// The state of the process that writes a log, as far as it can be known.
enum class Writer {
    Lives,  ///< a process with its number exists
    Gone,   ///< none exists on this host
    Unknown ///< it ran on another host, or in a container
};

/// Looks for a process by the host and the number that its log names. A log from a container names the number that the
/// process has there, so Gone is a guess if the container has this host's name.
Writer writerOf(const std::string &host, int pid);

} // namespace riffle::record
