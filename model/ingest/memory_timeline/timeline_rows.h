// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/growing_array.h"
#include "model/ingest/memory_timeline/number_tokens.h"
#include "model/trace/memory/memory_timeline.h"

#include <array>
#include <cstdint>
#include <string>

namespace riffle {

/// The growing columns of a timeline, and the problems in its rows. seal() moves them into the timeline.
class TimelineRows {
public:
    static constexpr int64_t kNoTime = INT64_MIN;
    static constexpr int64_t kLastTime = INT64_MAX / 4; ///< so that differences of times fit

    explicit TimelineRows(MemoryBudget &budget);

    /// For levels: all times are added before the first levels. kNoTime takes the place of an invalid time.
    void addTime(int64_t unixNs, uint64_t offset);
    void addLevels(const std::array<int64_t, kTimelineCategories> &bytes, uint64_t offset);
    /// Skips an invalid row of levels and notes the problem `what`, unless it is null.
    void skipLevels(const char *what, uint64_t offset);
    /// For events: time, action and category must be within bounds.
    void addEvent(int64_t time, TimelineAction action, int64_t change, uint8_t category, uint64_t offset);
    void note(const char *what, uint64_t offset, uint64_t count = 1);
    /// `offset` is the position of the text's end.
    void seal(MemoryTimeline &timeline, uint64_t offset);
    bool empty() const { return m_points == 0; }

private:
    void noteLevels(const std::array<int64_t, kTimelineCategories> &bytes, uint64_t offset);
    void addPoint(int64_t time);

    GrowingArray<int64_t> m_times;
    std::array<GrowingArray<int64_t>, kTimelineCategories> m_bytes;
    GrowingArray<int64_t> m_eventTimes, m_changes;
    GrowingArray<TimelineAction> m_actions;
    GrowingArray<uint8_t> m_categories;
    size_t m_levelRows = 0; ///< rows of levels read so far, valid or not
    size_t m_points = 0;    ///< complete points
    size_t m_events = 0;    ///< complete events
    std::array<int64_t, kTimelineCategories> m_now{};
    int64_t m_earliest = kNoTime;
    int64_t m_lastTime = kNoTime; ///< time of the latest row
    std::vector<FileTrouble> m_troubles;
};

} // namespace riffle
