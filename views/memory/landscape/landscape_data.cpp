// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/landscape/landscape_data.h"

#include "model/base/wrapping.h"

#include <algorithm>
#include <map>

namespace riffle {

namespace {

constexpr int kMarkRows = 3;
constexpr int64_t kLatest = INT64_MAX / 4; ///< limits times so that their differences cannot overflow

LandscapeColumns columnsOf(const MemorySnapshot &snapshot, const DeviceReplay &replay)
{
    const MemoryAllocations &allocations = replay.allocations;
    LandscapeColumns columns;
    columns.slotCount = replay.events + 1;
    const auto slot = [&](uint32_t event, uint32_t otherwise) {
        return event == MemoryAllocations::kNone ? otherwise : event - replay.firstEvent + 1;
    };
    const uint32_t count = allocations.count();
    columns.begin.reserve(count);
    columns.end.reserve(count);
    columns.size.reserve(count);
    for (uint32_t row = 0; row < count; ++row) {
        columns.begin.push_back(slot(allocations.begin[row], 0));
        columns.end.push_back(slot(allocations.end[row], columns.slotCount));
        columns.size.push_back(allocations.size(snapshot, row));
    }
    return columns;
}

/// The memory levels at the start of the history and after each event of the device. Damaged files can contain any
/// number, so sums wrap instead of overflowing.
LevelGraph levelsOf(const std::shared_ptr<const SnapshotFacts> &facts, size_t device, const Task &task)
{
    const auto read = [facts, device](uint32_t first, const LevelGraph::Levels &before,
                                      std::span<LevelGraph::Levels> out) {
        const MemoryEventTable &events = facts->snapshot().events;
        const DeviceReplay &replay = facts->replay().devices[device];
        LevelGraph::Levels level = before;
        size_t at = 0;
        if (first == 0) {
            level = {replay.atBegin.allocated, replay.atBegin.active, replay.atBegin.reserved};
            out[at++] = level;
        }
        uint32_t event = replay.firstEvent + first + static_cast<uint32_t>(at) - 1;
        auto correction =
            std::lower_bound(replay.corrections.begin(), replay.corrections.end(), event,
                             [](const DeviceReplay::Correction &one, uint32_t wanted) { return one.event < wanted; });
        for (; at < out.size(); ++at, ++event) {
            const bool corrected = correction != replay.corrections.end() && correction->event == event;
            const MemoryLevel change =
                corrected ? correction->change : nominalChange(events.action[event], events.size[event]);
            correction += corrected;
            addWrapping(level[0], change.allocated);
            addWrapping(level[1], change.active);
            addWrapping(level[2], change.reserved);
            out[at] = level;
        }
    };
    return LevelGraph(facts->replay().devices[device].events + 1, read, task);
}

/// The reason why the times of a device cannot form an axis; empty if they can.
std::string timeTrouble(std::span<const int64_t> times, uint32_t events)
{
    if (events == 0)
        return "The device has no history.";
    if (times.empty() ||
        std::any_of(times.begin(), times.end(), [](int64_t time) { return time == MemoryEventTable::kNoTime; }))
        return "Some events have no time, so the axis counts events.";
    const auto back = std::adjacent_find(times.begin(), times.end(), std::greater<>());
    if (back != times.end())
        return "Times go backwards after event " + std::to_string(back - times.begin()) +
               ", so the axis counts events.";
    if (times.front() < -kLatest || times.back() > kLatest)
        return "Times are out of range, so the axis counts events.";
    return {};
}

std::vector<LandscapeMark> marksOf(const MemorySnapshot &snapshot, const DeviceReplay &replay, int64_t last)
{
    std::vector<LandscapeMark> marks;
    std::map<uint32_t, std::vector<size_t>> open; // by name
    for (const MemoryAnnotation &annotation : snapshot.annotations) {
        const bool elsewhere = annotation.device >= 0 && annotation.device != replay.device;
        if (replay.host || elsewhere || annotation.time < -kLatest || annotation.time > kLatest)
            continue;
        std::vector<size_t> &begun = open[annotation.name];
        if (snapshot.string(annotation.stage) == "END" && !begun.empty()) {
            LandscapeMark &mark = marks[begun.back()];
            mark.end = std::max(mark.begin, annotation.time);
            begun.pop_back();
            continue;
        }
        const bool begins = snapshot.string(annotation.stage) == "START";
        if (begins)
            begun.push_back(marks.size());
        marks.push_back({std::string(snapshot.string(annotation.name)), annotation.time, annotation.time, 0});
    }
    for (const auto &[name, begun] : open)
        for (const size_t at : begun)
            marks[at].end = std::max(marks[at].begin, last);
    std::stable_sort(marks.begin(), marks.end(),
                     [](const LandscapeMark &a, const LandscapeMark &b) { return a.begin < b.begin; });
    stackMarks(marks);
    return marks;
}

} // namespace

void stackMarks(std::vector<LandscapeMark> &marks)
{
    int64_t ends[kMarkRows];
    std::fill(std::begin(ends), std::end(ends), INT64_MIN);
    for (LandscapeMark &mark : marks) {
        mark.row = 0;
        while (mark.row < kMarkRows - 1 && ends[mark.row] > mark.begin)
            ++mark.row;
        ends[mark.row] = std::max(ends[mark.row], mark.end);
    }
}

uint32_t LandscapeData::slotOf(uint32_t event) const
{
    const DeviceReplay &of = replay();
    return event == MemoryAllocations::kNone || event < of.firstEvent ? 0
                                                                      : std::min(event - of.firstEvent + 1, of.events);
}

uint32_t LandscapeData::eventOf(uint32_t slot) const
{
    return slot == 0 ? MemoryAllocations::kNone : replay().firstEvent + slot - 1;
}

std::shared_ptr<const LandscapeData> makeLandscapeData(std::shared_ptr<const SnapshotFacts> facts, size_t device,
                                                       const Task &task)
{
    auto data = std::make_shared<LandscapeData>();
    data->facts = std::move(facts);
    data->facts->stacks(); // computed now, so that their texts are later available without delay
    data->device = device;
    const MemorySnapshot &snapshot = data->facts->snapshot();
    const DeviceReplay &replay = data->replay();
    data->columns = columnsOf(snapshot, replay);
    data->levels = levelsOf(data->facts, device, task);
    const std::span<const int64_t> times = snapshot.events.time.span();
    if (times.size() >= size_t(replay.firstEvent) + replay.events)
        data->times = times.subspan(replay.firstEvent, replay.events);
    data->noTimes = timeTrouble(data->times, replay.events);
    if (!data->noTimes.empty())
        data->times = {};
    else
        data->marks = marksOf(snapshot, replay, data->times.back());
    return data;
}

} // namespace riffle
