// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/collector_log.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace riffle {

/// External ids by correlation, as Externals chunks tell them; of two for one correlation the later.
class ExternalIds {
public:
    ExternalIds() = default;
    explicit ExternalIds(std::vector<std::pair<int64_t, int64_t>> inOrder);
    /// wire::kAbsent when there is none.
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
    std::vector<int64_t> m_dense; ///< from m_first on, when the correlations lie close together
    std::vector<std::pair<int64_t, int64_t>> m_sorted;
};

/// What has to be known of a log as a whole before its rows can be understood one by one.
struct LogIndex {
    int64_t pid = 0;
    std::optional<int64_t> baseTimeNs; ///< Unix ns = base + ns of CLOCK_MONOTONIC
    int64_t firstTime = 0;             ///< when the first file was begun
    ExternalIds externals;
    /// Rows of the last OpenRanges chunk that never ended. What is open in earlier ones is there or has ended.
    size_t openChunk = SIZE_MAX;
    std::vector<uint32_t> unfinished;

    static std::shared_ptr<const LogIndex> of(const CollectorLog &log);
};

} // namespace riffle
