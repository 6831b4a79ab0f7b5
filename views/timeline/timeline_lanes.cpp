// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The user's changes of lanes: folding, pinning, hiding, moving, heights and the filter.
#include "views/common/look/qt_text.h"
#include "views/timeline/timeline_state.h"

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

constexpr int kFoldLevels = 2; ///< ranks and groups can be folded by default

void fold(LaneState &lanes, const LaneItem &item)
{
    lanes.unfolded.erase(item.key);
    if (!item.quiet)
        lanes.folded.insert(item.key);
}

void unfold(LaneState &lanes, const LaneItem &item)
{
    lanes.folded.erase(item.key);
    if (item.quiet)
        lanes.unfolded.insert(item.key);
}

} // namespace

void TimelineState::toggleFold(const LaneItem &item)
{
    LaneState lanes = m_pane->lanes();
    if (!traces().find(item.trace)) { // it comes unfolded, since that is what was asked for
        lanes.folded.erase(item.key);
        lanes.unfolded.insert(item.key);
        m_pane->setLanes(std::move(lanes));
        emit m_session->memberRequested(item.trace);
        return;
    }
    if (item.quiet && !lanes.filter.empty())
        return; // the filter unfolds what is folded by default
    if (item.folded)
        unfold(lanes, item);
    else
        fold(lanes, item);
    m_pane->setLanes(std::move(lanes));
}

void TimelineState::groupByName(bool on)
{
    LaneState lanes = m_pane->lanes();
    lanes.byName = on;
    m_pane->setLanes(std::move(lanes));
}

void TimelineState::toggleWhole(const LaneItem &item)
{
    LaneState lanes = m_pane->lanes();
    if (lanes.whole.erase(item.key) == 0)
        lanes.whole.insert(item.key);
    m_pane->setLanes(std::move(lanes));
}

void TimelineState::toggleFrames(const LaneItem &item)
{
    LaneState lanes = m_pane->lanes();
    if (lanes.otherwiseFramed.erase(item.key) == 0)
        lanes.otherwiseFramed.insert(item.key);
    m_pane->setLanes(std::move(lanes));
}

void TimelineState::showAllFrames(bool on)
{
    LaneState lanes = m_pane->lanes();
    lanes.allFrames = on;
    lanes.otherwiseFramed.clear();
    m_pane->setLanes(std::move(lanes));
}

void TimelineState::foldAll()
{
    LaneState lanes = m_pane->lanes();
    for (const LaneItem &item : m_layout.items())
        if (item.heading() && item.group.empty()) // there is no heading above it
            fold(lanes, item);
    m_pane->setLanes(std::move(lanes));
}

void TimelineState::unfoldAll()
{
    LaneState lanes = m_pane->lanes();
    lanes.folded.clear();
    for (int level = 0; level < kFoldLevels; ++level) {
        m_pane->setLanes(lanes); // what is in folded ranks has strips now
        for (const LaneItem &item : m_layout.items())
            unfold(lanes, item);
    }
    m_pane->setLanes(lanes);
    for (const LaneItem &item : m_layout.items())
        if (item.hiddenRows > 0)
            lanes.whole.insert(item.key);
    m_pane->setLanes(std::move(lanes));
}

void TimelineState::togglePin(const LaneItem &item)
{
    LaneState lanes = m_pane->lanes();
    if (std::erase(lanes.pinned, item.key) == 0)
        lanes.pinned.push_back(item.key);
    m_pane->setLanes(std::move(lanes));
}

void TimelineState::hide(const LaneItem &item)
{
    LaneState lanes = m_pane->lanes();
    lanes.hidden.insert(item.key);
    m_pane->setLanes(std::move(lanes));
}

void TimelineState::showAll()
{
    LaneState lanes = m_pane->lanes();
    lanes.hidden.clear();
    lanes.filter.clear();
    m_pane->setLanes(std::move(lanes));
}

void TimelineState::setHeight(const LaneItem &item, int height)
{
    LaneState lanes = m_pane->lanes();
    if (height > 0)
        lanes.heights[item.key] = height;
    else
        lanes.heights.erase(item.key);
    m_pane->setLanes(std::move(lanes));
}

void TimelineState::setFilter(const QString &filter)
{
    LaneState lanes = m_pane->lanes();
    lanes.filter = toUtf8(filter.trimmed());
    m_pane->setLanes(std::move(lanes));
}

void TimelineState::moveLane(const LaneItem &item, const LaneItem &before)
{
    if (item.key == before.key || item.heading() || item.pinned != before.pinned ||
        (!item.pinned && item.group != before.group))
        return;
    LaneState lanes = m_pane->lanes();
    std::vector<std::string> keys;
    for (const LaneItem &other : item.pinned ? m_layout.pinned() : m_layout.items())
        if (!other.heading() && (item.pinned || other.group == item.group))
            keys.push_back(other.key);
    const auto from = std::find(keys.begin(), keys.end(), item.key);
    const auto to = std::find(keys.begin(), keys.end(), before.key);
    if (from == keys.end() || to == keys.end())
        return;
    if (from < to)
        std::rotate(from, from + 1, to + 1);
    else
        std::rotate(to, from, from + 1);
    if (item.pinned)
        lanes.pinned = std::move(keys);
    else
        lanes.order[item.group] = std::move(keys);
    m_pane->setLanes(std::move(lanes));
}

bool TimelineState::hasRow(SliceRef slice) const
{
    const Trace *trace = traces().trace(slice.trace);
    const Segment *segment = trace ? trace->segmentOf(slice.slice) : nullptr;
    const LaneItem *item = segment ? m_layout.find({slice.trace, segment->lane}) : nullptr;
    return item && rowInStrip(*item, *segment, slice.slice);
}

void TimelineState::expose(LaneRef lane, SliceId slice)
{
    const std::vector<std::string> keys = laneKeys(traces(), lane);
    LaneState lanes = m_pane->lanes();
    for (const std::string &key : keys) {
        lanes.folded.erase(key);
        lanes.hidden.erase(key);
    }
    m_pane->setLanes(lanes);
    if (!lanes.filter.empty() && !m_layout.find(lane)) {
        lanes.filter.clear();
        m_pane->setLanes(lanes);
    }
    for (int level = 0; level < kFoldLevels; ++level) {
        for (const LaneItem &item : m_layout.items())
            if (std::ranges::find(keys, item.key) != keys.end())
                unfold(lanes, item);
        m_pane->setLanes(lanes);
    }
    const Segment *segment = slice.valid() ? traces().trace(lane.trace)->segmentOf(slice) : nullptr;
    const LaneItem *item = m_layout.find(lane);
    if (!segment || !item)
        return;
    if (!rowInStrip(*item, *segment, slice)) {
        toggleFrames(LaneItem(*item));
        item = m_layout.find(lane);
    }
    if (item->hiddenRows > 0 && rowInStrip(*item, *segment, slice) >= item->rows)
        toggleWhole(LaneItem(*item));
}

} // namespace riffle
