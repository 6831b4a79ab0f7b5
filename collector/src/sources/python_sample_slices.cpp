// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_sample_slices.h"

#include <algorithm>

namespace riffle::collector {

void PythonSampleSlices::close(uint32_t osThread, Thread &thread, size_t from, int64_t time)
{
    const int64_t end = std::min(time, thread.last + m_interval);
    for (size_t at = from; at < thread.open.size(); ++at)
        if (const Open &open = thread.open[at]; end > open.start)
            m_ended.push_back({osThread, open.frame.name, open.start, end});
    thread.open.resize(std::min(from, thread.open.size()));
}

void PythonSampleSlices::add(uint32_t osThread, int64_t time, std::span<const SampledFrame> frames)
{
    Thread &thread = m_threads[osThread];
    if (time - thread.last > kHole * m_interval)
        close(osThread, thread, 0, time);
    size_t same = 0;
    while (same < std::min(frames.size(), thread.open.size())) {
        SampledFrame &before = thread.open[same].frame;
        if (before.name != frames[same].name)
            break;
        ++same;
        if (std::exchange(before.place, frames[same - 1].place) != frames[same - 1].place)
            break;
    }
    close(osThread, thread, same, time);
    for (; same < frames.size(); ++same)
        thread.open.push_back({frames[same], time});
    thread.last = time;
}

void PythonSampleSlices::end(uint32_t osThread, int64_t time)
{
    if (const auto found = m_threads.find(osThread); found != m_threads.end()) {
        close(osThread, found->second, 0, time);
        m_threads.erase(found);
    }
}

void PythonSampleSlices::endAll(int64_t time)
{
    for (auto &[osThread, thread] : m_threads)
        close(osThread, thread, 0, time);
    m_threads.clear();
}

void PythonSampleSlices::endOlder(int64_t time)
{
    for (auto at = m_threads.begin(); at != m_threads.end();) {
        if (at->second.last < time) {
            close(at->first, at->second, 0, time);
            at = m_threads.erase(at);
        } else {
            ++at;
        }
    }
}

std::vector<SampledSlice> PythonSampleSlices::open() const
{
    std::vector<SampledSlice> all;
    for (const auto &[osThread, thread] : m_threads)
        for (const Open &open : thread.open)
            all.push_back({osThread, open.frame.name, open.start, 0});
    return all;
}

} // namespace riffle::collector
