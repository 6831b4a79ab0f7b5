// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/segment_merger.h"

#include "model/trace/growth/merged_segment.h"

namespace riffle {

std::shared_ptr<const Segment> SegmentMerger::Merge::result() const
{
    const std::lock_guard lock(m_mutex);
    return m_result;
}

void SegmentMerger::Merge::run()
{
    std::shared_ptr<const Segment> merged = mergedSegment(m_from);
    const std::lock_guard lock(m_mutex);
    m_result = std::move(merged);
}

SegmentMerger::~SegmentMerger()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stops = true;
    }
    m_wake.notify_one();
    if (m_thread.joinable())
        m_thread.join();
}

std::shared_ptr<const SegmentMerger::Merge> SegmentMerger::start(Segments from)
{
    uint64_t slices = 0;
    for (const auto &segment : from)
        slices += segment->size();
    auto merge = std::make_shared<Merge>(std::move(from));
    if (slices <= m_atOnce) {
        merge->run();
        return merge;
    }
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.push_back(merge);
    }
    if (!m_thread.joinable())
        m_thread = std::thread([this] { work(); });
    m_wake.notify_one();
    return merge;
}

void SegmentMerger::work()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        m_wake.wait(lock, [this] { return m_stops || !m_waiting.empty(); });
        if (m_stops)
            return;
        const std::shared_ptr<Merge> merge = std::move(m_waiting.front());
        m_waiting.pop_front();
        lock.unlock();
        merge->run();
        lock.lock();
    }
}

} // namespace riffle
