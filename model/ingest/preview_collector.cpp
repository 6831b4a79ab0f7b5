// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/preview_collector.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>

namespace riffle {

void BusyBins::widen()
{
    if (m_partial.empty()) { // there are no bins to merge yet
        ++m_shift;
        return;
    }
    const std::vector<float> covered = coverage();
    const int64_t newFirst = m_first >> 1;
    std::vector<float> wider((covered.size() + 2) / 2 + 1, 0.0f);
    for (size_t bin = 0; bin < covered.size(); ++bin)
        wider[static_cast<size_t>(((m_first + static_cast<int64_t>(bin)) >> 1) - newFirst)] += covered[bin] / 2;
    m_partial = std::move(wider);
    m_change.assign(m_partial.size() + 1, 0.0f);
    m_first = newFirst;
    ++m_shift;
}

std::vector<float> BusyBins::coverage() const
{
    std::vector<float> covered(m_partial.size());
    float whole = 0;
    for (size_t bin = 0; bin < covered.size(); ++bin) {
        whole += m_change[bin];
        covered[bin] = std::clamp(m_partial[bin] + whole, 0.0f, 1.0f);
    }
    return covered;
}

/// Makes room for the bins from `first` to `last`, in the current width.
void BusyBins::include(int64_t first, int64_t last)
{
    if (m_partial.empty())
        m_first = first;
    const int64_t before = std::max<int64_t>(0, m_first - first);
    const int64_t after = std::max<int64_t>(0, last + 1 - (m_first + static_cast<int64_t>(m_partial.size())));
    m_partial.insert(m_partial.begin(), static_cast<size_t>(before), 0.0f);
    m_change.insert(m_change.begin(), static_cast<size_t>(before), 0.0f);
    m_partial.resize(m_partial.size() + static_cast<size_t>(after), 0.0f);
    m_change.resize(m_partial.size() + 1, 0.0f);
    m_first -= before;
}

void BusyBins::add(Ns start, Ns end)
{
    const auto binsNeeded = [&] {
        const int64_t first = std::min(m_partial.empty() ? start >> m_shift : m_first, start >> m_shift);
        const int64_t last = std::max(
            m_partial.empty() ? end >> m_shift : m_first + static_cast<int64_t>(m_partial.size()) - 1, end >> m_shift);
        return last - first + 1;
    };
    while (binsNeeded() > static_cast<int64_t>(kMaxBins))
        widen();
    const int64_t first = start >> m_shift, last = end >> m_shift;
    include(first, last);
    assert(first >= m_first && last < m_first + static_cast<int64_t>(m_partial.size()));
    assert(m_change.size() == m_partial.size() + 1);
    const auto width = static_cast<float>(int64_t(1) << m_shift);
    const auto at = [&](int64_t bin) { return static_cast<size_t>(bin - m_first); };
    if (first == last) {
        m_partial[at(first)] += static_cast<float>(end - start) / width;
        return;
    }
    m_partial[at(first)] += static_cast<float>(((first + 1) << m_shift) - start) / width;
    m_partial[at(last)] += static_cast<float>(end - (last << m_shift)) / width;
    m_change[at(first + 1)] += 1;
    m_change[at(last)] -= 1;
}

void BusyBins::add(const BusyBins &other)
{
    const std::vector<float> covered = other.coverage();
    for (size_t bin = 0; bin < covered.size(); ++bin) {
        if (covered[bin] <= 0)
            continue;
        const int64_t begin = (other.m_first + static_cast<int64_t>(bin)) << other.m_shift;
        add(begin, begin + static_cast<Ns>(covered[bin] * static_cast<float>(int64_t(1) << other.m_shift)));
    }
}

TimeSpan BusyBins::span() const
{
    return {m_first << m_shift, (m_first + static_cast<int64_t>(m_partial.size())) << m_shift};
}

void BusyBins::sample(TimeSpan wanted, std::vector<float> &out) const
{
    const std::vector<float> covered = coverage();
    const double step = static_cast<double>(wanted.duration()) / static_cast<double>(out.size());
    for (size_t part = 0; part < out.size(); ++part) {
        const Ns time = wanted.begin + static_cast<Ns>(step * (static_cast<double>(part) + 0.5));
        const int64_t bin = (time >> m_shift) - m_first;
        out[part] = bin >= 0 && bin < static_cast<int64_t>(covered.size()) ? covered[static_cast<size_t>(bin)] : 0.0f;
    }
}

void PreviewCollector::batchRead(unsigned worker, const TraceWriter &writer)
{
    {
        assert(worker < m_workers.size());
        Worker &own = m_workers[worker];
        std::scoped_lock lock(own.mutex);
        std::unordered_map<uint32_t, LaneBins *> byNumber;
        writer.visitLastBatch([&](uint32_t lane, const LaneKey &key, Ns start, Ns duration) {
            LaneBins *&bins = byNumber[lane];
            if (!bins) {
                const std::string tid = key.tid.kind == RawId::Kind::Text
                                            ? std::string(writer.text(static_cast<uint32_t>(key.tid.bits)))
                                            : std::to_string(key.tid.bits);
                const bool stream = key.kind == LaneKind::Stream;
                bins = &own.lanes[(stream ? "GPU " + std::to_string(key.pid.bits) + " stream " : "thread ") + tid];
                bins->stream = stream;
            }
            bins->bins.add(start, start + duration);
        });
    }
    std::unique_lock lock(m_deliveryMutex, std::try_to_lock);
    constexpr auto kInterval = std::chrono::milliseconds(200);
    if (!lock || std::chrono::steady_clock::now() - m_last < kInterval)
        return;
    deliver();
    m_last = std::chrono::steady_clock::now();
}

void PreviewCollector::deliver()
{
    constexpr size_t kMaxLanes = 64;
    std::map<std::string, LaneBins> all;
    for (Worker &worker : m_workers) {
        std::scoped_lock lock(worker.mutex);
        for (const auto &[name, lane] : worker.lanes) {
            if (all.size() >= kMaxLanes && !all.contains(name))
                continue;
            LaneBins &sum = all[name];
            sum.stream = lane.stream;
            sum.bins.add(lane.bins);
        }
    }
    LoadPreview preview;
    preview.span = {INT64_MAX, INT64_MIN};
    for (const auto &[name, lane] : all) {
        const TimeSpan span = lane.bins.span();
        preview.span = {std::min(preview.span.begin, span.begin), std::max(preview.span.end, span.end)};
    }
    if (all.empty())
        return;
    for (const bool streams : {true, false})
        for (const auto &[name, lane] : all) {
            if (lane.stream != streams)
                continue;
            LoadPreview::PreviewLane &shown = preview.lanes.emplace_back();
            shown.name = name;
            shown.stream = lane.stream;
            shown.busy.resize(LoadPreview::kBins);
            lane.bins.sample(preview.span, shown.busy);
        }
    m_deliver(preview);
}

} // namespace riffle
