// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/trace_facts.h"

#include "model/analysis/facts/lane_squeezing.h"
#include "model/analysis/facts/slice_work_classes.h"
#include "model/base/parallel.h"
#include "model/trace/growth/newest_part.h"

#include <algorithm>
#include <utility>

namespace riffle {

TraceFacts::TraceFacts(std::shared_ptr<const Trace> trace, std::optional<Ns> settled, uint64_t mostSlices)
    : m_whole(std::move(trace))
    , m_trace(newestPart(m_whole, mostSlices))
    , m_settled(settled)
    , m_mostSlices(mostSlices)
{
    // Something must have settled in it, even if the mark is behind more slices than wanted.
    for (uint64_t most = mostSlices; isPart() && m_trace->info.part->begin >= m_settled.value_or(kLatestTime);) {
        most = std::max<uint64_t>(1, 2 * most);
        m_trace = newestPart(m_whole, most);
    }
}

std::optional<TimeSpan> TraceFacts::settledSpan() const
{
    if (!m_settled && !isPart())
        return std::nullopt;
    const TimeSpan known = isPart() ? *m_trace->info.part : m_trace->recordedSpan();
    return TimeSpan{known.begin, std::max(known.begin, m_settled.value_or(known.end))};
}

const SliceClasses &TraceFacts::classes() const
{
    return m_classes.get([this] { return std::make_unique<const SliceClasses>(*m_trace); });
}

const CallTree &TraceFacts::calls() const
{
    return m_calls.get([this] { return std::make_unique<const CallTree>(*m_trace, classes()); });
}

const DeviceWork &TraceFacts::work() const
{
    return m_work.get([this] {
        return std::make_unique<const DeviceWork>(*m_trace, classes(),
                                                  [this]() -> const CallTree & { return calls(); });
    });
}

const StreamWaits &TraceFacts::waits() const
{
    return m_waits.get([this] { return std::make_unique<const StreamWaits>(*m_trace, work()); });
}

const CollectiveCalls &TraceFacts::collectives() const
{
    return m_collectives.get(
        [this] { return std::make_unique<const CollectiveCalls>(*m_trace, classes(), calls(), work()); });
}

const OperatorFlops &TraceFacts::flops() const
{
    return m_flops.get([this] { return std::make_unique<const OperatorFlops>(*m_trace, calls(), work()); });
}

const RoleTimes &TraceFacts::roles() const
{
    return m_roles.get([this] {
        std::vector<RoleTimes::Lane> lanes;
        classes();
        parallelJobs({[&] { lanes = laneTimes(*m_trace, classes()); }, [&] { devices(); }});
        return std::make_unique<const RoleTimes>(std::move(lanes), devices());
    });
}

const FrameChains &TraceFacts::chains() const
{
    return m_chains.get([this] {
        const auto made = [this]() -> const CallTree & {
            work(); // callers that need the chains need the work next
            return calls();
        };
        return std::make_unique<const FrameChains>(*m_trace, classes(), made);
    });
}

const HostNodes &TraceFacts::nodes() const
{
    return m_nodes.get([this] { return std::make_unique<const HostNodes>(*m_trace, classes(), work()); });
}

const StagePieces &TraceFacts::stages() const
{
    return m_stages.get([this] { return std::make_unique<const StagePieces>(*m_trace, classes()); });
}

const TraceMemory &TraceFacts::memory() const
{
    return m_memory.get([this] { return std::make_unique<const TraceMemory>(*m_trace); });
}

const RecordingGaps &TraceFacts::gaps() const
{
    return m_gaps.get([this] { return std::make_unique<RecordingGaps>(trace()); });
}

const std::shared_ptr<const WorkClasses> &TraceFacts::workClasses() const
{
    return m_workClasses.get(
        [this] { return std::make_unique<const std::shared_ptr<const WorkClasses>>(sliceWorkClasses(*this)); });
}

const std::shared_ptr<const SqueezedLanes> &TraceFacts::squeezedLanes() const
{
    return m_squeezedLanes.get([this] {
        return std::make_unique<const std::shared_ptr<const SqueezedLanes>>(riffle::squeezedLanes(trace()));
    });
}

const std::vector<DeviceTimes> &TraceFacts::devices() const
{
    return m_devices.get([this] {
        auto devices = std::make_unique<std::vector<DeviceTimes>>();
        for (const DeviceWork::Device &device : work().devices)
            devices->emplace_back(work(), device);
        return std::unique_ptr<const std::vector<DeviceTimes>>(std::move(devices));
    });
}

const StepSet &TraceFacts::steps(const std::string &mark) const
{
    const Lazy<StepSet> &steps = [&]() -> const Lazy<StepSet> & {
        const std::scoped_lock lock(m_stepsMutex);
        return m_steps[mark];
    }();
    return steps.get([&] { return std::make_unique<const StepSet>(*m_trace, work(), mark); });
}

} // namespace riffle
