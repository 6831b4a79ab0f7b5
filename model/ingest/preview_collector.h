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

/// The share of each stretch of time that one lane covers, in bins of a power of two nanoseconds that widen as the
/// trace grows. Adding a slice costs the same, however long it is.
class BusyBins {
public:
    void add(Ns start, Ns end);
    void add(const BusyBins &other);
    TimeSpan span() const;
    /// Returns the covered share of each of `out.size()` equal parts of the span.
    void sample(TimeSpan span, std::vector<float> &out) const;

private:
    static constexpr size_t kMaxBins = 4096;

    void include(int64_t first, int64_t last);
    void widen();
    std::vector<float> coverage() const;

    int m_shift = 10;    ///< a bin is 2^shift ns
    int64_t m_first = 0; ///< number of the first bin
    std::vector<float>
        m_partial; ///< share covered by slices that do not cover the whole bin, and by bins before widening
    std::vector<float> m_change; ///< number of slices that cover whole bins, as differences between bins
};

/// Watches the batches that workers read, and now and then delivers a rough picture of the lanes so far.
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
