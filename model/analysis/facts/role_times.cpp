// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/role_times.h"

#include "model/analysis/facts/kernel_traits.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <span>

namespace riffle {

namespace {

/// The union of sets, joined in pairs, which takes n log(sets) time.
IntervalSet unionOfAll(std::vector<IntervalSet> sets)
{
    if (sets.empty())
        return {};
    while (sets.size() > 1) {
        for (size_t at = 0; at < sets.size() / 2; ++at)
            sets[at] = sets[2 * at] | sets[2 * at + 1];
        if (sets.size() % 2)
            sets[sets.size() / 2] = std::move(sets.back());
        sets.resize((sets.size() + 1) / 2);
    }
    return std::move(sets.front());
}

/// Collects the times of one thread. Each row is in order of time, so its sets need no sorting.
class LaneCollector {
public:
    /// `isCollective` says of each StringId whether it names a collective of the host.
    LaneCollector(const Trace &trace, const SliceClasses &classes, const std::vector<uint8_t> &isCollective)
        : m_trace(trace)
        , m_classes(classes)
        , m_isCollective(isCollective)
    {
    }

    RoleTimes::Lane collect(const Lane &lane)
    {
        for (const uint32_t index : lane.segments) {
            const Segment &segment = *m_trace.segments[index];
            for (uint32_t row = 0; row < segment.rows(); ++row)
                addRow(segment, segment.rowBegin[row], segment.rowBegin[row + 1]);
        }
        RoleTimes::Lane made;
        made.dataloader = unionOfAll(std::move(m_dataloader));
        made.waiting = unionOfAll(std::move(m_waiting));
        made.runtime = unionOfAll(std::move(m_runtime));
        made.code = unionOfAll(std::move(m_code));
        made.collectives = unionOfAll(std::move(m_collectives));
        return made;
    }

private:
    static void keep(IntervalSet set, std::vector<IntervalSet> &sets)
    {
        if (!set.empty())
            sets.push_back(std::move(set));
    }
    /// True if the slice around it already covers its time as host code.
    static bool isInsideSame(const Segment &segment, uint32_t at, std::span<const SliceClass> classes)
    {
        const uint32_t parent = segment.parentInside(at);
        return parent != kNoRow && isHostCode(classes[parent]);
    }
    void addRow(const Segment &segment, uint32_t first, uint32_t last)
    {
        const std::span<const SliceClass> classes = m_classes.of(segment);
        IntervalSet dataloader, waiting, runtime, code, collectives;
        for (uint32_t at = first; at < last; ++at) {
            throwIfStoppedAt(at);
            const SliceClass kind = classes[at];
            const TimeSpan span{segment.slices.start[at], segment.end(at)};
            if (isHostCode(kind)) {
                if (!isInsideSame(segment, at, classes))
                    code.append(span);
                if (const uint32_t name = segment.slices.name[at]; name < m_isCollective.size() && m_isCollective[name])
                    collectives.append(span);
            } else if (kind == SliceClass::Dataloader) {
                dataloader.append(span);
            } else if (kind == SliceClass::Waiting) {
                waiting.append(span);
            } else if (kind == SliceClass::Runtime) {
                runtime.append(span);
            }
        }
        keep(std::move(dataloader), m_dataloader);
        keep(std::move(waiting), m_waiting);
        keep(std::move(runtime), m_runtime);
        keep(std::move(code), m_code);
        keep(std::move(collectives), m_collectives);
    }

    const Trace &m_trace;
    const SliceClasses &m_classes;
    const std::vector<uint8_t> &m_isCollective;
    std::vector<IntervalSet> m_dataloader, m_waiting, m_runtime, m_code, m_collectives;
};

IntervalSet timesOf(const DeviceWork &work, const DeviceWork::Device &device, Role role)
{
    IntervalSet times;
    times.reserve(
        static_cast<size_t>(std::count(work.role.begin() + device.first, work.role.begin() + device.last, role)));
    for (uint32_t at = device.first; at < device.last; ++at) {
        throwIfStoppedAt(at);
        if (work.role[at] == role)
            times.append(work.span(at));
    }
    return times;
}

} // namespace

DeviceTimes::DeviceTimes(const DeviceWork &work, const DeviceWork::Device &device)
    : compute(timesOf(work, device, Role::Compute))
    , communication(timesOf(work, device, Role::Communication))
    , memcpy(timesOf(work, device, Role::Memcpy))
    , memset(timesOf(work, device, Role::Memset))
    , kernels(compute | communication)
    , busy(kernels | memcpy | memset)
{
}

std::vector<RoleTimes::Lane> laneTimes(const Trace &trace, const SliceClasses &classes)
{
    std::vector<RoleTimes::Lane> lanes(trace.lanes.size());
    std::vector<uint8_t> isCollective(trace.strings.count());
    for (uint32_t name = 0; name < isCollective.size(); ++name)
        isCollective[name] = isHostCollective(trace.string(name));
    parallelFor(trace.lanes.size(), [&](size_t lane) {
        if (trace.lanes[lane].kind == LaneKind::Thread || trace.lanes[lane].kind == LaneKind::Async)
            lanes[lane] = LaneCollector(trace, classes, isCollective).collect(trace.lanes[lane]);
    });
    return lanes;
}

RoleTimes::RoleTimes(std::vector<Lane> recorded, const std::vector<DeviceTimes> &devices) : lanes(std::move(recorded))
{
    const auto united = [](const auto &from, auto pick) {
        std::vector<IntervalSet> sets;
        for (const auto &one : from)
            if (!(one.*pick).empty())
                sets.push_back(one.*pick);
        return unionOfAll(std::move(sets));
    };
    IntervalSet taken;
    const auto add = [&](Role role, const IntervalSet &times) {
        exclusive[static_cast<size_t>(role)] = times - taken;
        taken = taken | times;
    };
    add(Role::Compute, united(devices, &DeviceTimes::compute));
    add(Role::Memcpy, united(devices, &DeviceTimes::memcpy));
    add(Role::Memset, united(devices, &DeviceTimes::memset));
    add(Role::Communication,
        devices.empty() ? united(lanes, &Lane::collectives) : united(devices, &DeviceTimes::communication));
    add(Role::Runtime, united(lanes, &Lane::runtime) | united(lanes, &Lane::waiting));
    add(Role::Dataloader, united(lanes, &Lane::dataloader));
    add(Role::Cpu, united(lanes, &Lane::code));
    for (Lane &lane : lanes) {
        lane.waiting = lane.waiting - lane.dataloader;
        const IntervalSet above = lane.waiting | lane.dataloader;
        lane.runtime = lane.runtime - above;
        lane.code = lane.code - (above | lane.runtime);
    }
}

} // namespace riffle
