// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/ingest/collector_log/collector_log.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace riffle {

/// External ids by correlation, from the Externals chunks; if a correlation has two, the later one counts.
class ExternalIds {
public:
    ExternalIds() = default;
    explicit ExternalIds(BigVector<std::pair<int64_t, int64_t>> inOrder);
    /// Returns wire::kAbsent if there is none.
    int64_t find(int64_t correlation) const
    {
        const uint64_t place = static_cast<uint64_t>(correlation) - static_cast<uint64_t>(m_first);
        if (place < m_dense.size())
            return m_dense[static_cast<size_t>(place)];
        return m_sorted.empty() ? wire::kAbsent : findSorted(correlation);
    }

private:
    int64_t findSorted(int64_t correlation) const;

    int64_t m_first = 0;
    BigVector<int64_t> m_dense; ///< indexed from m_first on; used if the correlations are close together
    BigVector<std::pair<int64_t, int64_t>> m_sorted;
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

    static std::shared_ptr<const LogIndex> of(const CollectorLog &log);
};

} // namespace riffle
