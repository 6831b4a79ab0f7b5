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
        note("Points with a category below zero", offset);
}

void TimelineRows::addTime(int64_t unixNs, uint64_t offset)
{
    m_times.push(unixNs);
    if (unixNs == kNoTime) {
        note("Times that are not valid", offset);
        return;
    }
    if (m_lastTime != kNoTime && unixNs < m_lastTime)
        note("Times earlier than the one before", offset);
    if (unixNs < 0)
        note("Times before 1970", offset);
    m_lastTime = unixNs;
}

void TimelineRows::addLevels(const std::array<int64_t, kTimelineCategories> &bytes, uint64_t offset)
{
    const size_t row = m_levelRows++;
    if (row >= m_times.size()) {
        note("Points without a time, left out", offset);
        return;
    }
    if (m_times[row] == kNoTime)
        return;
    noteLevels(bytes, offset);
    assert(m_points <= row);
    for (size_t category = 0; category < kTimelineCategories; ++category)
        m_bytes[category].push(bytes[category]);
    m_times[m_points++] = m_times[row]; // last: a point counts once all its values fit into the memory
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
        note("Events with an impossible size or sign, left out", offset);
        return;
    }
    assert(category < kTimelineCategories);
    const int64_t level = m_now[category] + change;
    if (level > kMost || level < -kMost) {
        note("Events that take a category beyond any possible size, left out", offset);
        return;
    }
    m_eventTimes.push(time);
    m_changes.push(change);
    m_actions.push(action);
    m_categories.push(category);
    if (m_points == 0 || time != m_lastTime) {
        if (time != TimelineEvents::kBefore) {
            if (m_lastTime != kNoTime && time < m_lastTime)
                note("Times earlier than the one before", offset);
            if (m_earliest == kNoTime || time < m_earliest)
                m_earliest = time;
        } else if (m_points > 0) {
            note("Groups of events from before the recording that come after others", offset);
        }
        addPoint(time);
        m_lastTime = time;
    }
    m_now[category] = level;
    m_bytes[category][m_points - 1] = level;
    ++m_events;
    if (level < 0)
        note("Events that leave a category below zero", offset);
}

void TimelineRows::seal(MemoryTimeline &timeline, uint64_t offset)
{
    if (timeline.form == MemoryTimeline::Form::Levels && m_levelRows < m_times.size())
        note("Times without sizes", offset, m_times.size() - m_levelRows);
    const int64_t first = m_earliest == kNoTime ? 0 : m_earliest;
    for (size_t point = 0; point < m_points && timeline.form == MemoryTimeline::Form::Events; ++point)
        if (m_times[point] == TimelineEvents::kBefore)
            m_times[point] = first;
    assert(m_points <= m_times.size());
    // If the memory limit ended the reading, some arrays have one value of a point or an event that did not fit.
    assert(std::min({m_eventTimes.size(), m_changes.size(), m_actions.size(), m_categories.size()}) >= m_events);
    assert(std::ranges::all_of(m_bytes, [&](const auto &category) { return category.size() >= m_points; }));
    timeline.times = sealed(m_times, m_points);
    for (size_t category = 0; category < kTimelineCategories; ++category)
        timeline.bytes[category] = sealed(m_bytes[category], m_points);
    timeline.events.time = sealed(m_eventTimes, m_events);
    timeline.events.change = sealed(m_changes, m_events);
    timeline.events.action = sealed(m_actions, m_events);
    timeline.events.category = sealed(m_categories, m_events);
    timeline.troubles = std::move(m_troubles);
}

} // namespace riffle
