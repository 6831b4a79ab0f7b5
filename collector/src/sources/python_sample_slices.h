// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace riffle::collector {

/// The name of a code object, "file.py(12): function". Equal pointers are the same code object.
using SampledName = std::shared_ptr<const std::string>;

/// A frame in a sample.
struct SampledFrame {
    SampledName name;
    uint64_t place = 0; ///< where its code is; another place than before: what it called has returned
};

/// A frame that stood in consecutive samples.
struct SampledSlice {
    uint32_t osThread;
    SampledName name;
    int64_t start, end; ///< the end of an open slice is not known
};

/// Turns the samples of threads into slices. A frame that stands in consecutive samples is one slice, from the first of
/// them to the one in which it no longer stands, but at most one interval after the last. It ends if a frame around it
/// has ended or is at another place, since it must be another call then. Slices are in the order of their ends; of
/// those that end at the same time, the outermost is the first.
class PythonSampleSlices {
public:
    explicit PythonSampleSlices(int64_t intervalNs) : m_interval(intervalNs) {}

    /// The thread has these frames at `time`, the outermost first.
    void add(uint32_t osThread, int64_t time, std::span<const SampledFrame> frames);
    /// Ends the slices of a thread, of which no more is known, or of all threads; at `time` at the latest.
    void end(uint32_t osThread, int64_t time);
    void endAll(int64_t time);
    /// Ends the slices of the threads whose last sample is older than `time`.
    void endOlder(int64_t time);

    std::vector<SampledSlice> takeEnded() { return std::exchange(m_ended, {}); }
    std::vector<SampledSlice> open() const;

private:
    /// So many intervals without a sample are a hole, and no slice goes on after it: the machine was overloaded, or the
    /// process was stopped.
    static constexpr int64_t kHole = 10;
    struct Open {
        SampledFrame frame;
        int64_t start;
    };
    struct Thread {
        std::vector<Open> open; ///< the outermost first
        int64_t last = 0;       ///< time of the last sample
    };
    void close(uint32_t osThread, Thread &thread, size_t from, int64_t time);

    int64_t m_interval;
    std::map<uint32_t, Thread> m_threads;
    std::vector<SampledSlice> m_ended;
};

} // namespace riffle::collector
