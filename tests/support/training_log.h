// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/log_writer.h"

#include <cstdint>

namespace riffle::test {

/// Writes a log with about `events` events, as a training job has them: operator ranges, calls and kernels in equal
/// parts. Returns the exact number of events. A file of the log is a little longer than `partBytes`.
uint64_t writeTrainingLog(const LogFolder &folder, uint64_t events,
                          uint64_t partBytes = wire::kMaxFileBytes - (8u << 20));

} // namespace riffle::test
