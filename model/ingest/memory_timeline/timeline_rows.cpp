// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_timeline/timeline_rows.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace riffle {

namespace {

template <typename T>
Column<T> sealed(GrowingArray<T> &array, size_t size)
{
    assert(size <= array.size());
    array.shrinkTo(size);
    std::shared_ptr<T[]> data = array.take();
    const T *first = data.get();
    return Column<T>(std::move(data), first, size);
}

template <size_t... At>
std::array<GrowingArray<int64_t>, kTimelineCategories> arraysOf(MemoryBudget &budget, std::index_sequence<At...>)
{
    return {((void)At, GrowingArray<int64_t>(&budget))...};
}

} // namespace

TimelineRows::TimelineRows(MemoryBudget &budget)
    : m_times(&budget)
    , m_bytes(arraysOf(budget, std::make_index_sequence<kTimelineCategories>()))
    , m_eventTimes(&budget)
    , m_changes(&budget)
    , m_actions(&budget)
    , m_categories(&budget)
{
}

void TimelineRows::note(const char *what, uint64_t offset, uint64_t count)
{
    const auto found = std::find_if(m_troubles.begin(), m_troubles.end(),
                                    [&](const FileTrouble &trouble) { return trouble.what == what; });
    if (found != m_troubles.end())
        found->count += count;
    else if (count > 0)
        m_troubles.push_back({what, count, offset, 0});
}

void TimelineRows::noteLevels(const std::array<int64_t, kTimelineCategories> &bytes, uint64_t offset)
{
    if (std::any_of(bytes.begin(), bytes.end(), [](int64_t level) { return level < 0; }))
        note("points have a category below zero", offset);
}

void TimelineRows::addTime(int64_t unixNs, uint64_t offset)
{
    m_times.push(unixNs);
    if (unixNs == kNoTime) {
        note("times are not valid", offset);
        return;
    }
    if (m_lastTime != kNoTime && unixNs < m_lastTime)
        note("times go backwards", offset);
    if (unixNs < 0)
        note("times are before 1970", offset);
    m_lastTime = unixNs;
}

void TimelineRows::addLevels(const std::array<int64_t, kTimelineCategories> &bytes, uint64_t offset)
{
    const size_t row = m_levelRows++;
    if (row >= m_times.size()) {
        note("points have no time and were left out", offset);
        return;
    }
    if (m_times[row] == kNoTime)
        return;
    noteLevels(bytes, offset);
    assert(m_points <= row);
    m_times[m_points++] = m_times[row];
    for (size_t category = 0; category < kTimelineCategories; ++category)
        m_bytes[category].push(bytes[category]);
}

void TimelineRows::skipLevels(const char *what, uint64_t offset)
{
    ++m_levelRows;
    if (what)
        note(what, offset);
}

void TimelineRows::addPoint(int64_t time)
{
    m_times.push(time);
    for (size_t category = 0; category < kTimelineCategories; ++category)
        m_bytes[category].push(m_now[category]);
    ++m_points;
}

void TimelineRows::addEvent(int64_t time, TimelineAction action, int64_t change, uint8_t category, uint64_t offset)
{
    constexpr int64_t kMost = MemoryTimeline::kMostBytes;
    const bool leaves = action == TimelineAction::Destroy;
    if (change > kMost || change < -kMost ||
        (action != TimelineAction::IncrementVersion && (leaves ? change > 0 : change < 0))) {
        note("events have an impossible size and were left out", offset);
        return;
    }
    assert(category < kTimelineCategories);
    const int64_t level = m_now[category] + change;
    if (level > kMost || level < -kMost) {
        note("events have an impossible size and were left out", offset);
        return;
    }
    m_eventTimes.push(time);
    m_changes.push(change);
    m_actions.push(action);
    m_categories.push(category);
    if (m_points == 0 || time != m_lastTime) {
        if (time != TimelineEvents::kBefore) {
            if (m_lastTime != kNoTime && time < m_lastTime)
                note("times go backwards", offset);
            if (m_earliest == kNoTime || time < m_earliest)
                m_earliest = time;
        } else if (m_points > 0) {
            note("events from before the recording come after others", offset);
        }
        addPoint(time);
        m_lastTime = time;
    }
    m_now[category] = level;
    m_bytes[category][m_points - 1] = level;
    if (level < 0)
        note("events take a category below zero", offset);
}

void TimelineRows::seal(MemoryTimeline &timeline, uint64_t offset)
{
    if (timeline.form == MemoryTimeline::Form::Levels && m_levelRows < m_times.size())
        note("times have no sizes", offset, m_times.size() - m_levelRows);
    const int64_t first = m_earliest == kNoTime ? 0 : m_earliest;
    for (size_t point = 0; point < m_points && timeline.form == MemoryTimeline::Form::Events; ++point)
        if (m_times[point] == TimelineEvents::kBefore)
            m_times[point] = first;
    assert(m_points <= m_times.size());
    assert(m_eventTimes.size() == m_changes.size() && m_changes.size() == m_actions.size() &&
           m_actions.size() == m_categories.size());
    // Longer ones end with a point that did not fit into the memory limit.
    assert(std::ranges::all_of(m_bytes, [&](const auto &category) { return category.size() >= m_points; }));
    timeline.times = sealed(m_times, m_points);
    for (size_t category = 0; category < kTimelineCategories; ++category)
        timeline.bytes[category] = sealed(m_bytes[category], m_points);
    timeline.events.time = sealed(m_eventTimes, m_eventTimes.size());
    timeline.events.change = sealed(m_changes, m_changes.size());
    timeline.events.action = sealed(m_actions, m_actions.size());
    timeline.events.category = sealed(m_categories, m_categories.size());
    timeline.troubles = std::move(m_troubles);
}

} // namespace riffle
