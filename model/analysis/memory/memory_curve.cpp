// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/memory_curve.h"

#include "model/base/wrapping.h"

#include <algorithm>

namespace riffle {

namespace {

/// Computes the levels after each event, in order. The sums of damaged files wrap instead of overflowing.
class Levels {
public:
    Levels(const MemorySnapshot &snapshot, const DeviceReplay &device)
        : m_events(snapshot.events)
        , m_event(device.firstEvent)
        , m_level(device.atBegin)
        , m_correction(device.corrections.begin())
        , m_corrections(device.corrections.end())
    {
    }
    const MemoryLevel &next()
    {
        const bool corrected = m_correction != m_corrections && m_correction->event == m_event;
        const MemoryLevel change =
            corrected ? m_correction->change : nominalChange(m_events.action[m_event], m_events.size[m_event]);
        m_correction += corrected;
        ++m_event;
        addWrapping(m_level.allocated, change.allocated);
        addWrapping(m_level.reserved, change.reserved);
        return m_level;
    }

private:
    const MemoryEventTable &m_events;
    uint32_t m_event;
    MemoryLevel m_level;
    std::vector<DeviceReplay::Correction>::const_iterator m_correction, m_corrections;
};

} // namespace

MemoryCurve memoryCurve(const SnapshotFacts &facts, size_t device, size_t most, const Task &task)
{
    const MemorySnapshot &snapshot = facts.snapshot();
    const DeviceReplay &replay = facts.replay().devices[device];
    MemoryCurve curve;
    if (snapshot.events.time.size() < size_t(replay.firstEvent) + replay.events)
        return curve;
    const auto times = snapshot.events.time.span().subspan(replay.firstEvent, replay.events);
    if (!std::is_sorted(times.begin(), times.end()) || (!times.empty() && times.front() == MemoryEventTable::kNoTime))
        return curve;
    struct Point {
        uint32_t event;
        MemoryLevel level;
    };
    const auto keep = [&](const Point &point) {
        curve.times.push_back(times[point.event]);
        curve.allocated.push_back(static_cast<double>(point.level.allocated));
        curve.reserved.push_back(static_cast<double>(point.level.reserved));
    };
    const uint32_t stretch =
        static_cast<uint32_t>(std::max<size_t>(1, (replay.events + most - 1) / std::max<size_t>(1, most)));
    Levels levels(snapshot, replay);
    for (uint32_t first = 0; first < replay.events && !task.stopped(); first += stretch) {
        Point points[4]; // first, lowest, highest, last
        const uint32_t end = std::min(replay.events, first + stretch);
        for (uint32_t event = first; event < end; ++event) {
            const Point now{event, levels.next()};
            if (event == first)
                std::fill(std::begin(points), std::end(points), now);
            if (now.level.allocated < points[1].level.allocated)
                points[1] = now;
            if (now.level.allocated > points[2].level.allocated)
                points[2] = now;
            points[3] = now;
        }
        std::sort(std::begin(points), std::end(points),
                  [](const Point &a, const Point &b) { return a.event < b.event; });
        for (size_t at = 0; at < 4; ++at)
            if (at == 0 || points[at].event != points[at - 1].event)
                keep(points[at]);
    }
    return curve;
}

} // namespace riffle
