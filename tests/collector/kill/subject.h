// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace riffle::test {

/// How a process records until it is killed.
struct Life {
    uint32_t seed = 0;
    std::string folder;        ///< the folder in which the log's folder is created
    bool keepsSeconds = false; ///< use the flight recorder: files roll, and one dump is written
    unsigned flushesOften = 1; ///< average number of flushes in a row; fewer lead to longer chunks
    int64_t killedAfterUs = 0; ///< time from the start of recording to the kill
};

/// The report of the living process, in memory that it shares with its parent. Thread `t` records the numbers
/// 1, 2, 3, …, each as a range with that name, and as a value of the counter "numbers of t".
struct Testimony {
    static constexpr size_t kThreads = 4;
    using Numbers = std::array<std::atomic<uint64_t>, kThreads>;
    std::atomic<uint32_t> started{0}; ///< recording has started
    std::atomic<uint64_t> acknowledgements{0};
    Numbers begun{};        ///< the last number that a thread may have started to record
    Numbers done{};         ///< the last number that it has recorded
    Numbers acknowledged{}; ///< the last number for which a flush has returned
    Numbers dumped{};       ///< the last number for which a dump has returned
    std::atomic<uint32_t> hasDump{0};
};

std::string numberName(size_t thread, uint64_t number); ///< the name of the range
std::string counterName(size_t thread);
std::string dumpFolder(const Life &life);

/// Records until it is killed. Never returns.
[[noreturn]] void live(const Life &life, Testimony &says);

} // namespace riffle::test
