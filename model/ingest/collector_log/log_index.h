// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/seeded_hash.h"
#include "model/base/time.h"
#include "model/ingest/collector_log/collector_log.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace riffle {

/// External ids by correlation, from the Externals chunks; if a correlation has two, the later one counts. The ids of a
/// log that grows are added one by one, and only the newest are kept; copies share these, and may be asked by other
/// threads meanwhile.
class ExternalIds {
public:
    static constexpr size_t kMostRecent = 131'072;

    ExternalIds() = default;
    explicit ExternalIds(BigVector<std::pair<int64_t, int64_t>> inOrder);
    /// Returns wire::kAbsent if there is none.
    int64_t find(int64_t correlation) const
    {
        const uint64_t place = static_cast<uint64_t>(correlation) - static_cast<uint64_t>(m_first);
        if (place < m_dense.size())
            return m_dense[static_cast<size_t>(place)];
        return m_sorted.empty() && !m_recent ? wire::kAbsent : findOther(correlation);
    }
    /// Adds an id of a log that grows.
    void add(int64_t correlation, int64_t id);
    /// Drops the oldest of the ids that were added, beyond the most recent ones.
    void dropOldest();
    /// The number of ids that were dropped without having been found.
    uint64_t dropped() const;

private:
    struct Recent {
        int64_t id = 0;
        uint64_t turn = 0;
        bool wasFound = false;
    };
    struct RecentIds {
        mutable std::mutex mutex; ///< guards all members
        SeededMap<int64_t, Recent> ids;
        std::deque<std::pair<int64_t, uint64_t>> order; ///< correlations and turns, the oldest first
        uint64_t turn = 0, dropped = 0;
    };
    int64_t findOther(int64_t correlation) const;

    int64_t m_first = 0;
    BigVector<int64_t> m_dense; ///< indexed from m_first on; used if the correlations are close together
    BigVector<std::pair<int64_t, int64_t>> m_sorted;
    std::shared_ptr<RecentIds> m_recent; ///< null if none were added
};

/// Facts about a whole log that are needed to interpret a single row.
struct LogIndex {
    int64_t pid = 0;
    std::vector<ClockReading> clocks;  ///< in ns of CLOCK_MONOTONIC, by ascending time
    std::optional<int64_t> baseTimeNs; ///< Unix ns = base + ns of CLOCK_MONOTONIC, by the first of them
    int64_t firstTime = 0;             ///< start of the first file, in ns of CLOCK_MONOTONIC
    ExternalIds externals;
    /// The last OpenRanges chunk and the rows of its ranges that never ended. The ranges in earlier OpenRanges chunks
    /// have ended or are in this one, too.
    ChunkPlace openChunk; ///< only if there are unfinished ranges
    std::vector<uint32_t> unfinished;
    /// The same for the gaps of the last OpenGaps chunk, which last until the end of the log.
    ChunkPlace openGapChunk;
    std::vector<uint32_t> unfinishedGaps;
    int64_t lastTime = 0; ///< the latest time in the headers of the chunks

    /// Reads the whole log; LogTail reads that of a log which grows.
    static std::shared_ptr<const LogIndex> of(const CollectorLog &log);
    static int64_t firstTimeOf(const CollectorLog &log);
    /// The chunk's last time; 0 if it is absurd.
    static int64_t endOf(const wire::ChunkHeader &header) { return header.timeEnd <= kLatestTime ? header.timeEnd : 0; }
};

/// Appends the readings of the wall clock in a Clocks chunk.
void appendClocks(std::vector<ClockReading> &readings, const ChunkColumns &columns);
/// Orders readings by time, of which the first `sorted` are in order. Of two with the same time the first one is kept:
/// each file starts with a reading, so a log may repeat one.
void sortClocks(std::vector<ClockReading> &readings, size_t sorted);
/// Returns the wall-clock time of the log's time 0, by the first reading that can tell it.
std::optional<int64_t> baseOf(const std::vector<ClockReading> &readings);

} // namespace riffle
