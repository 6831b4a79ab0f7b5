// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/log_index.h"

#include "model/base/parallel.h"
#include "model/base/time.h"
#include "model/ingest/collector_log/open_rows.h"

#include <algorithm>

namespace riffle {

using wire::ChunkType;
using wire::Field;

namespace {

ExternalIds readExternals(const CollectorLog &log)
{
    const std::vector<ChunkPlace> chunks = log.chunksOf(ChunkType::Externals);
    std::vector<std::vector<std::pair<int64_t, int64_t>>> found(chunks.size());
    parallelFor(chunks.size(), [&](size_t at) {
        ChunkReader reader;
        reader.read(log, chunks[at]);
        const ChunkColumns &columns = reader.columns();
        const int64_t *correlation = columns.ints(Field::Correlation);
        const int64_t *external = columns.ints(Field::ExternalId);
        for (uint32_t row = 0; correlation && external && row < columns.rows(); ++row)
            found[at].emplace_back(correlation[row], external[row]);
    });
    BigVector<std::pair<int64_t, int64_t>> all;
    for (const auto &some : found)
        all.insert(all.end(), some.begin(), some.end());
    return ExternalIds(std::move(all));
}

/// Returns the readings of the wall clock by ascending time.
std::vector<ClockReading> readClocks(const CollectorLog &log)
{
    std::vector<ClockReading> readings;
    ChunkReader reader;
    for (const ChunkPlace chunk : log.chunksOf(ChunkType::Clocks))
        if (reader.read(log, chunk))
            appendClocks(readings, reader.columns());
    sortClocks(readings, 0);
    return readings;
}

/// Finds the rows of the log's last chunk of open ranges or gaps that do not end in a later chunk.
void findUnfinished(const CollectorLog &log, OpenRows open, ChunkPlace &openChunk, std::vector<uint32_t> &unfinished)
{
    const std::vector<ChunkPlace> chunks = log.chunksOf(open.type());
    ChunkReader reader;
    if (chunks.empty() || !reader.read(log, chunks.back()))
        return;
    openChunk = chunks.back();
    open.open(reader.columns());
    for (const ChunkPlace chunk : log.chunksOf(open.endType())) {
        if (open.empty())
            return;
        if (chunk > openChunk && log.chunk(chunk).header.timeBegin <= open.lastStart() && reader.read(log, chunk))
            open.end(reader.columns());
    }
    unfinished = open.rows();
}

int64_t lastTimeIn(const CollectorLog &log)
{
    int64_t last = 0;
    for (const auto &part : log.parts())
        for (const LogChunk &chunk : part->chunks())
            last = std::max(last, LogIndex::endOf(chunk.header));
    return last;
}

} // namespace

void appendClocks(std::vector<ClockReading> &readings, const ChunkColumns &columns)
{
    for (uint32_t row = 0; row < columns.rows(); ++row) {
        const ClockReading reading{columns.value(Field::Time, row), columns.value(Field::Realtime, row)};
        if (reading.time != wire::kAbsent && reading.unixNs != wire::kAbsent)
            readings.push_back(reading);
    }
}

void sortClocks(std::vector<ClockReading> &readings, size_t sorted)
{
    const auto from = readings.begin() + static_cast<std::ptrdiff_t>(sorted - (sorted > 0));
    if (std::ranges::is_sorted(from, readings.end(), std::ranges::less_equal{}, &ClockReading::time))
        return;
    std::ranges::stable_sort(readings, {}, &ClockReading::time);
    const auto again = std::ranges::unique(readings, {}, &ClockReading::time);
    readings.erase(again.begin(), again.end());
}

std::optional<int64_t> baseOf(const std::vector<ClockReading> &readings)
{
    for (const ClockReading &reading : readings)
        if (int64_t base = 0; !__builtin_sub_overflow(reading.unixNs, reading.time, &base))
            return base;
    return std::nullopt;
}

ExternalIds::ExternalIds(BigVector<std::pair<int64_t, int64_t>> inOrder)
{
    if (inOrder.empty())
        return;
    const auto [least, most] = std::minmax_element(inOrder.begin(), inOrder.end(),
                                                   [](const auto &a, const auto &b) { return a.first < b.first; });
    const uint64_t spread = static_cast<uint64_t>(most->first) - static_cast<uint64_t>(least->first);
    if (spread <= 8 * inOrder.size() + 4096) {
        m_first = least->first;
        m_dense.assign(static_cast<size_t>(spread) + 1, wire::kAbsent);
        for (const auto &[correlation, external] : inOrder)
            m_dense[static_cast<size_t>(static_cast<uint64_t>(correlation) - static_cast<uint64_t>(m_first))] =
                external;
        return;
    }
    m_sorted = std::move(inOrder);
    std::stable_sort(m_sorted.begin(), m_sorted.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
}

int64_t ExternalIds::findOther(int64_t correlation) const
{
    if (m_recent) {
        const std::lock_guard lock(m_recent->mutex);
        if (const auto found = m_recent->ids.find(correlation); found != m_recent->ids.end()) {
            found->second.wasFound = true;
            return found->second.id;
        }
    }
    const auto behind = std::upper_bound(m_sorted.begin(), m_sorted.end(), correlation,
                                         [](int64_t value, const auto &entry) { return value < entry.first; });
    return behind == m_sorted.begin() || (behind - 1)->first != correlation ? wire::kAbsent : (behind - 1)->second;
}

void ExternalIds::add(int64_t correlation, int64_t id)
{
    if (!m_recent)
        m_recent = std::make_shared<RecentIds>();
    const std::lock_guard lock(m_recent->mutex);
    m_recent->ids[correlation] = {id, ++m_recent->turn, false};
    m_recent->order.emplace_back(correlation, m_recent->turn);
}

void ExternalIds::dropOldest()
{
    if (!m_recent)
        return;
    RecentIds &recent = *m_recent;
    const std::lock_guard lock(recent.mutex);
    for (; recent.order.size() > kMostRecent; recent.order.pop_front()) {
        const auto oldest = recent.ids.find(recent.order.front().first);
        if (oldest == recent.ids.end() || oldest->second.turn != recent.order.front().second)
            continue; // the correlation has a newer id
        recent.dropped += !oldest->second.wasFound;
        recent.ids.erase(oldest);
    }
}

uint64_t ExternalIds::dropped() const
{
    if (!m_recent)
        return 0;
    const std::lock_guard lock(m_recent->mutex);
    return m_recent->dropped;
}

int64_t LogIndex::firstTimeOf(const CollectorLog &log)
{
    const auto &parts = log.parts();
    const bool startsWithSteps = parts.front()->header().sequence == 0 && parts.size() > 1;
    return parts[startsWithSteps]->header().monotonicNs;
}

std::shared_ptr<const LogIndex> LogIndex::of(const CollectorLog &log)
{
    auto index = std::make_shared<LogIndex>();
    index->pid = log.parts().front()->header().pid;
    index->firstTime = firstTimeOf(log);
    index->clocks = readClocks(log);
    index->baseTimeNs = baseOf(index->clocks);
    index->externals = readExternals(log);
    findUnfinished(log, OpenRows(ChunkType::OpenRanges), index->openChunk, index->unfinished);
    findUnfinished(log, OpenRows(ChunkType::OpenGaps), index->openGapChunk, index->unfinishedGaps);
    index->lastTime = lastTimeIn(log);
    return index;
}

} // namespace riffle
