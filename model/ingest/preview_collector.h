// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "model/trace/trace_builder.h"

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace riffle {

/// The share of time that the slices of one lane cover, in bins of 2^n nanoseconds that widen as the trace grows. The
/// cost of adding a slice does not depend on its duration.
class BusyBins {
public:
    void add(Ns start, Ns end);
    void add(const BusyBins &other);
    TimeSpan span() const;
    /// Divides the span into `out.size()` equal parts and sets `out` to the covered share at the middle of each.
    void sample(TimeSpan span, std::vector<float> &out) const;

private:
    static constexpr size_t kMaxBins = 4096;

    void include(int64_t first, int64_t last);
    void widen();
    std::vector<float> coverage() const;

    int m_shift = 10;    ///< a bin is 2^shift ns
    int64_t m_first = 0; ///< number of the first bin
    std::vector<float>
        m_partial; ///< per bin: share covered by slices that cover only part of it, and by all slices before widening
    std::vector<float> m_change; ///< for each bin, the slices that fill it minus those that fill the bin before
};

/// Collects the slices that workers read, and from time to time delivers a rough picture of the lanes so far.
class PreviewCollector {
public:
    PreviewCollector(std::function<void(const LoadPreview &)> deliver, unsigned workers)
        : m_deliver(std::move(deliver))
        , m_workers(workers)
    {
    }
    /// Adds the slices of the batch that the worker has just read.
    void batchRead(unsigned worker, const TraceWriter &writer);

private:
    struct LaneBins {
        BusyBins bins;
        bool stream = false;
    };
    struct Worker {
        std::mutex mutex;
        std::map<std::string, LaneBins> lanes;
    };
    void deliver();

    std::function<void(const LoadPreview &)> m_deliver;
    std::vector<Worker> m_workers;
    std::mutex m_deliveryMutex;
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

} // namespace riffle
