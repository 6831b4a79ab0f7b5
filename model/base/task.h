// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>

namespace riffle {

/// The progress of a long job. Workers write it and the display reads it; all members may be read at any time.
struct Progress {
    std::atomic<uint64_t> bytesDone{0};
    std::atomic<uint64_t> bytesTotal{0}; ///< 0 while unknown
    std::atomic<uint64_t> events{0};
    enum class Stage : uint8_t { Reading, Sealing, Writing, Done };
    std::atomic<Stage> stage{Stage::Reading};
};

/// The context that a synchronous model function gets from its caller: a way to be stopped and a place to report
/// progress.
struct Task {
    std::stop_token stop;
    Progress *progress = nullptr;

    bool stopped() const { return stop.stop_requested(); }
};

} // namespace riffle
