// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/log_index.h"

#include "model/base/parallel.h"
#include "model/base/time.h"

#include <algorithm>
#include <map>
#include <tuple>

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

/// Returns the readings of the wall clock by ascending time. Files of a log can repeat one, because each file starts
/// with a reading.
std::vector<ClockReading> readClocks(const CollectorLog &log)
{
    std::vector<ClockReading> readings;
    ChunkReader reader;
    for (const ChunkPlace chunk : log.chunksOf(ChunkType::Clocks)) {
        if (!reader.read(log, chunk))
            continue;
        const ChunkColumns &columns = reader.columns();
        for (uint32_t row = 0; row < columns.rows(); ++row) {
            const ClockReading reading{columns.value(Field::Time, row), columns.value(Field::Realtime, row)};
            if (reading.time != wire::kAbsent && reading.unixNs != wire::kAbsent)
                readings.push_back(reading);
        }
    }
    std::ranges::stable_sort(readings, {}, &ClockReading::time);
    const auto again = std::ranges::unique(readings, {}, &ClockReading::time);
    readings.erase(again.begin(), again.end());
    return readings;
}

/// Returns the wall-clock time of the log's time 0, by the first reading that can tell it.
std::optional<int64_t> baseOf(const std::vector<ClockReading> &readings)
{
    for (const ClockReading &reading : readings)
        if (int64_t base = 0; !__builtin_sub_overflow(reading.unixNs, reading.time, &base))
            return base;
    return std::nullopt;
}

using OpenKey = std::pair<int64_t, int64_t>; // thread, start

/// Removes from `open` the ranges that end in the chunks after the one with the open ranges.
void removeEnded(const CollectorLog &log, ChunkPlace openChunk, std::map<OpenKey, std::vector<uint32_t>> &open)
{
    int64_t latest = INT64_MIN;
    for (const auto &[key, rows] : open)
        latest = std::max(latest, key.second);
    ChunkReader reader;
    for (const ChunkPlace chunk : log.chunksOf(ChunkType::Ranges)) {
        if (open.empty())
            return;
        if (chunk < openChunk || log.chunk(chunk).header.timeBegin > latest || !reader.read(log, chunk))
            continue;
        const int64_t *thread = reader.columns().ints(Field::Thread);
        const int64_t *start = reader.columns().ints(Field::Start);
        for (uint32_t row = 0; thread && start && row < reader.columns().rows(); ++row) {
            if (start[row] > latest)
                continue;
            const auto found = open.find({thread[row], start[row]});
            if (found == open.end())
                continue;
            found->second.pop_back(); // of ranges with the same start, the innermost, which is listed last, ends first
            if (found->second.empty())
                open.erase(found);
        }
    }
}

void findUnfinished(const CollectorLog &log, LogIndex &index)
{
    const std::vector<ChunkPlace> chunks = log.chunksOf(ChunkType::OpenRanges);
    ChunkReader reader;
    if (chunks.empty() || !reader.read(log, chunks.back()))
        return;
    index.openChunk = chunks.back();
    std::map<OpenKey, std::vector<uint32_t>> open;
    for (uint32_t row = 0; row < reader.columns().rows(); ++row)
        open[{reader.columns().value(Field::Thread, row), reader.columns().value(Field::Start, row)}].push_back(row);
    removeEnded(log, index.openChunk, open);
    for (const auto &[key, rows] : open)
        index.unfinished.insert(index.unfinished.end(), rows.begin(), rows.end());
    std::sort(index.unfinished.begin(), index.unfinished.end());
}

/// Finds the gaps that were open in the last OpenGaps chunk and do not end in a later chunk.
void findUnfinishedGaps(const CollectorLog &log, LogIndex &index)
{
    const std::vector<ChunkPlace> chunks = log.chunksOf(ChunkType::OpenGaps);
    ChunkReader reader;
    if (chunks.empty() || !reader.read(log, chunks.back()))
        return;
    index.openGapChunk = chunks.back();
    // Two sources may share a thread and a start, so the ids of their names count, too. They are those of the chunk's
    // file; every file starts with the gaps that are open.
    std::map<std::tuple<int64_t, int64_t, int64_t>, uint32_t> open;
    const auto keyOf = [&](uint32_t row) {
        const ChunkColumns &columns = reader.columns();
        return std::tuple(columns.value(Field::Thread, row), columns.value(Field::Start, row),
                          columns.value(Field::Category, row));
    };
    for (uint32_t row = 0; row < reader.columns().rows(); ++row)
        open.try_emplace(keyOf(row), row);
    for (const ChunkPlace chunk : log.chunksOf(ChunkType::Gaps))
        if (chunk > index.openGapChunk && reader.read(log, chunk))
            for (uint32_t row = 0; row < reader.columns().rows(); ++row)
                open.erase(keyOf(row));
    for (const auto &[key, row] : open)
        index.unfinishedGaps.push_back(row);
    std::sort(index.unfinishedGaps.begin(), index.unfinishedGaps.end());
}

int64_t lastTimeIn(const CollectorLog &log)
{
    int64_t last = 0;
    for (const auto &part : log.parts())
        for (const LogChunk &chunk : part->chunks())
            if (const int64_t end = chunk.header.timeEnd; end <= kLatestTime)
                last = std::max(last, end);
    return last;
}

} // namespace

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

int64_t ExternalIds::findSorted(int64_t correlation) const
{
    const auto behind = std::upper_bound(m_sorted.begin(), m_sorted.end(), correlation,
                                         [](int64_t value, const auto &entry) { return value < entry.first; });
    return behind == m_sorted.begin() || (behind - 1)->first != correlation ? wire::kAbsent : (behind - 1)->second;
}

std::shared_ptr<const LogIndex> LogIndex::of(const CollectorLog &log)
{
    auto index = std::make_shared<LogIndex>();
    index->pid = log.parts().front()->header().pid;
    index->firstTime = log.parts().front()->header().monotonicNs;
    if (log.parts().front()->header().sequence == 0 && log.parts().size() > 1)
        index->firstTime = log.parts()[1]->header().monotonicNs; // the first file is that of the steps
    index->clocks = readClocks(log);
    index->baseTimeNs = baseOf(index->clocks);
    index->externals = readExternals(log);
    findUnfinished(log, *index);
    findUnfinishedGaps(log, *index);
    index->lastTime = lastTimeIn(log);
    return index;
}

} // namespace riffle
