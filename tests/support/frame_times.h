// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <vector>

namespace riffle::bench {

/// The times of frames in milliseconds, and their statistics.
class FrameTimes {
public:
    template <typename Body>
    void measure(Body body)
    {
        const auto begin = std::chrono::steady_clock::now();
        body();
        m_times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    size_t count() const { return m_times.size(); }
    double quantile(double share) const
    {
        std::vector<double> sorted = m_times;
        std::sort(sorted.begin(), sorted.end());
        return sorted.empty() ? 0
                              : sorted[std::min(sorted.size() - 1,
                                                static_cast<size_t>(share * static_cast<double>(sorted.size())))];
    }
    double mean() const
    {
        return m_times.empty() ? 0
                               : std::accumulate(m_times.begin(), m_times.end(), 0.0) / static_cast<double>(count());
    }
    std::string row(const std::string &name) const
    {
        return fmt::format("{:<28} {:>6} x   median {:>7.2f} ms   p90 {:>7.2f}   p99 {:>7.2f}   max {:>7.2f}\n", name,
                           count(), quantile(0.5), quantile(0.9), quantile(0.99), quantile(1));
    }
    void add(double milliseconds) { m_times.push_back(milliseconds); }
    void add(const FrameTimes &other) { m_times.insert(m_times.end(), other.m_times.begin(), other.m_times.end()); }

private:
    std::vector<double> m_times;
};

} // namespace riffle::bench
