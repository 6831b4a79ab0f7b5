// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/device_work.h"

#include "model/analysis/facts/kernel_traits.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/base/merge_sort.h"
#include "model/base/parallel.h"
#include "model/base/seeded_hash.h"
#include "model/base/stopping.h"
#include "model/trace/details.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace riffle {

namespace {

constexpr size_t kWorkRange = 1 << 17; ///< the number of rows that a thread processes at a time

template <typename T>
void arrange(BigVector<T> &values, std::span<const uint32_t> order)
{
    assert(order.size() == values.size());
    BigVector<T> arranged(values.size());
    for (size_t at = 0; at < order.size(); ++at) {
        throwIfStoppedAt(at);
        arranged[at] = values[order[at]];
    }
    values = std::move(arranged);
}

/// Operators by External id, for work whose launch was not recorded. An id that several operators share maps to kNone.
SeededMap<int64_t, uint32_t> operatorsByExternalId(const Trace &trace, const CallTree &calls)
{
    SeededMap<int64_t, uint32_t> found;
    SliceReader reader(trace);
    for (uint32_t call = 0; call < calls.size(); ++call) {
        if (!calls.isOperator[call] || !reader.seek(calls.slice[call]))
            continue;
        const int64_t id = reader.segment().slices.externalId[reader.at()];
        if (id == kNoInt || id == 0)
            continue;
        const auto [entry, isNew] = found.emplace(id, call);
        if (!isNew)
            entry->second = CallTree::kNone;
    }
    return found;
}

/// Decides by name whether a kernel, or the operator that launched it, communicates. Each name is judged once.
class CommunicationNames {
public:
    explicit CommunicationNames(const Trace &trace) : m_trace(trace), m_answers(trace.strings.count(), 0) {}
    bool kernel(uint32_t name) { return answer(name, 1, isCommunicationKernel); }
    bool operation(uint32_t name) { return answer(name, 4, isCommunicationOperator); }

private:
    bool answer(uint32_t name, uint8_t known, bool (*ask)(std::string_view))
    {
        if (name >= m_answers.size())
            return false;
        if (!(m_answers[name] & known))
            m_answers[name] |= static_cast<uint8_t>(ask(m_trace.string(name)) ? known | known << 1 : known);
        return m_answers[name] & known << 1;
    }
    const Trace &m_trace;
    std::vector<uint8_t> m_answers;
};

} // namespace

DeviceWork::DeviceWork(const Trace &trace, const SliceClasses &classes, const std::function<const CallTree &()> &calls)
{
    parallelJobs({[&] { calls(); }, [&] { readRows(trace, classes); }});
    addLaunches(trace, calls());
    assert(end.size() == size() && slice.size() == size() && name.size() == size() && detail.size() == size());
    assert(launch.size() == size() && launched.size() == size() && operation.size() == size() && role.size() == size());
    assert(devices.empty() ? empty() : devices.back().last == size());
}

void DeviceWork::readRows(const Trace &trace, const SliceClasses &classes)
{
    const size_t rows = detailCount(trace, &Segment::device);
    BigVector<int32_t> device;
    for (auto *times : {&start, &end})
        times->reserve(rows);
    for (auto *numbers : {&slice, &name, &launch})
        numbers->reserve(rows);
    detail.reserve(rows);
    role.reserve(rows);
    device.reserve(rows);
    SliceReader callers(trace);
    LaunchLinks::Place near;
    forEachDetail(trace, &Segment::device, [&](const Segment &segment, uint32_t at, uint32_t row) {
        const SliceClass kind = classes.of(segment, at);
        if (!isDeviceWork(kind))
            return;
        const uint32_t caller = trace.launchOf(segment, row, near).value;
        start.push_back(segment.slices.start[at]);
        end.push_back(segment.end(at));
        slice.push_back(segment.idAt(at).value);
        name.push_back(segment.slices.name[at]);
        detail.push_back({&segment.device, row});
        launch.push_back(callers.seek(caller) ? caller : kNone);
        role.push_back(kind == SliceClass::Kernel   ? Role::Compute
                       : kind == SliceClass::Memcpy ? Role::Memcpy
                                                    : Role::Memset);
        int32_t number = segment.device.device[row];
        if (number == kNoInt32)
            number = trace.processes[trace.lanes[segment.lane.value].process.value].device;
        device.push_back(number);
    });
    BigVector<uint32_t> order(slice.size());
    std::iota(order.begin(), order.end(), 0u);
    mergeSortRuns(order, [&](uint32_t a, uint32_t b) {
        return device[a] != device[b] ? device[a] < device[b]
               : start[a] != start[b] ? start[a] < start[b]
                                      : slice[a] < slice[b];
    });
    if (!std::is_sorted(order.begin(), order.end())) {
        arrange(start, order);
        arrange(end, order);
        arrange(slice, order);
        arrange(name, order);
        arrange(detail, order);
        arrange(launch, order);
        arrange(role, order);
        arrange(device, order);
    }
    for (uint32_t at = 0; at < size(); ++at) {
        if (devices.empty() || devices.back().number != device[at])
            devices.push_back({device[at], at, at});
        devices.back().last = at + 1;
    }
}

void DeviceWork::addLaunches(const Trace &trace, const CallTree &calls)
{
    const bool launchMissing = std::find(launch.begin(), launch.end(), kNone) != launch.end();
    const auto byExternalId = launchMissing ? operatorsByExternalId(trace, calls) : SeededMap<int64_t, uint32_t>{};
    operation.resize(size());
    launched.resize(size());
    const bool anyCollectives = hasDetails(trace, &Segment::collectives);
    parallelRanges(size(), kWorkRange, [&](size_t first, size_t last) {
        SliceReader reader(trace);
        CommunicationNames communicates(trace);
        for (size_t at = first; at < last; ++at) {
            operation[at] = kNone;
            launched[at] = start[at];
            if (launch[at] != kNone && reader.seek(launch[at])) {
                operation[at] = calls.operatorAt(calls.context.of(reader.segment(), reader.at()));
                launched[at] = reader.start();
            } else if (!byExternalId.empty() && reader.seek(slice[at])) {
                const auto found = byExternalId.find(reader.segment().slices.externalId[reader.at()]);
                operation[at] = found == byExternalId.end() ? kNone : found->second;
            }
            if (role[at] != Role::Compute)
                continue;
            bool communicating = communicates.kernel(name[at]);
            if (!communicating && operation[at] != kNone && reader.seek(calls.slice[operation[at]]))
                communicating = communicates.operation(reader.name());
            if (communicating || (anyCollectives && trace.detailOf(&Segment::collectives, SliceId(slice[at]))))
                role[at] = Role::Communication;
        }
    });
}

} // namespace riffle
