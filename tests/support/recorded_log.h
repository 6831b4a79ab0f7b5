// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/log_writer.h"

#include <cstdint>

namespace riffle::test {

/// When the calls of launches come.
enum class Calls : uint8_t {
    AtOnce,  ///< with the next flush
    HeldBack ///< some only with their kernel, as CUPTI may do
};

/// Writes a random log in several files, in the order in which the recorder writes: flush by flush, with ranges and
/// gaps that are open meanwhile, kernels that come late, external ids before and behind their calls, threads that are
/// renamed, Python stacks, marks up to when it is settled, and summaries of steps. It may end without an End chunk.
/// It has 20 to 39 flushes, or so many times more.
void writeRecordedLog(const LogFolder &folder, uint32_t seed, Calls calls, uint32_t times = 1);

} // namespace riffle::test
