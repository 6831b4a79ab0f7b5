// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace riffle {

/// Merges segments beside the ticks of a trace that grows: large ones in a thread of its own, small ones at once.
class SegmentMerger {
public:
    static constexpr uint64_t kAtOnce = 1u << 15;

    /// Segments with at most `atOnce` slices in all are merged by start().
    explicit SegmentMerger(uint64_t atOnce = kAtOnce) : m_atOnce(atOnce) {}
    ~SegmentMerger(); ///< waits for the merge that is running, and drops those that wait
    SegmentMerger(const SegmentMerger &) = delete;
    SegmentMerger &operator=(const SegmentMerger &) = delete;

    using Segments = std::vector<std::shared_ptr<const Segment>>;
    class Merge {
    public:
        explicit Merge(Segments from) : m_from(std::move(from)) {}
        const Segments &from() const { return m_from; }
        /// The merged segment; null while it is not done.
        std::shared_ptr<const Segment> result() const;

    private:
        friend class SegmentMerger;
        void run();

        const Segments m_from;
        mutable std::mutex m_mutex;
        std::shared_ptr<const Segment> m_result;
    };
    std::shared_ptr<const Merge> start(Segments from);

private:
    void work();

    const uint64_t m_atOnce;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::shared_ptr<Merge>> m_waiting;
    bool m_stops = false;
    std::thread m_thread; ///< started with the first large merge
};

} // namespace riffle
