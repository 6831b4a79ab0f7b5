// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace riffle::test {

/// How a process records that is about to be killed.
struct Life {
    uint32_t seed = 0;
    std::string folder;        ///< that the log's folder is made in
    bool keepsSeconds = false; ///< the flight recorder: files roll, and one dump is made
    unsigned flushesOften = 1; ///< flushes in a row on average; fewer make longer chunks
    int64_t killedAfterUs = 0; ///< from when recording has begun
};

/// What the process says of itself while it lives, in memory that its parent sees. Thread `t` records the numbers 1, 2,
/// 3, …, each as a range of that name in a range of its own, and as a value of the counter "numbers of t".
struct Testimony {
    static constexpr size_t kThreads = 4;
    using Numbers = std::array<std::atomic<uint64_t>, kThreads>;
    std::atomic<uint32_t> started{0}; ///< recording has begun
    std::atomic<uint64_t> acknowledgements{0};
    Numbers begun{};        ///< the last number that a thread may have begun to record
    Numbers done{};         ///< the last one that it has recorded
    Numbers acknowledged{}; ///< of those, what a flush has returned for
    Numbers dumped{};       ///< and what a dump has
    std::atomic<uint32_t> hasDump{0};
};

std::string numberName(size_t thread, uint64_t number); ///< of the range
std::string counterName(size_t thread);
std::string dumpFolder(const Life &life);

/// Records until it is killed. Never returns.
[[noreturn]] void live(const Life &life, Testimony &says);

} // namespace riffle::test
