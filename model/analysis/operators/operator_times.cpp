// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/operators/operator_times.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/facts/tensor_core_names.h"
#include "model/base/big_vector.h"
#include "model/base/ids.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace riffle {

namespace {

/// The host side: the times of some of the calls. Each worker thread has one of these; the sums are added up at the
/// end.
class HostTimes {
public:
    HostTimes(const Scope &scope, const OperatorGroups &groups)
        : m_scope(scope)
        , m_calls(scope.facts().calls())
        , m_groups(groups)
        , m_rows(groups.rows)
    {
        // The children of an operator are disjoint, except for those that cross each other.
        for (const uint32_t call : m_calls.crossing)
            if (countsAsParent(m_calls.parent[call]))
                m_tied.try_emplace(m_calls.parent[call]);
    }

    void add(const SliceRun &run)
    {
        m_calls.forEachCall(*run.segment, run.begin, run.end, [&](uint32_t call, uint32_t at) {
            const TimeSpan span{run.segment->slices.start[at], run.segment->end(at)};
            const uint32_t row = m_groups.rowOfCall[call];
            const uint32_t around = m_calls.parent[call];
            const bool isChild = countsAsParent(around);
            if ((row == kNoRow && !isChild) || !m_scope.touches(span))
                return;
            if (row != kNoRow)
                addCall(call, row, span);
            if (!isChild)
                return;
            const auto tied = m_tied.empty() ? m_tied.end() : m_tied.find(around);
            if (tied != m_tied.end())
                tied->second.push_back(span);
            else
                m_rows[m_groups.rowOfCall[around]].hostSelf -= m_scope.clipped(span);
        });
    }

    void addTo(std::vector<OperatorTimes::Row> &rows, std::unordered_map<uint32_t, BigVector<TimeSpan>> &tied) const
    {
        for (size_t at = 0; at < rows.size(); ++at) {
            OperatorTimes::Row &sum = rows[at];
            const OperatorTimes::Row &mine = m_rows[at];
            sum.calls += mine.calls;
            sum.cut += mine.cut;
            sum.hostSelf += mine.hostSelf;
            sum.hostTotal += mine.hostTotal;
            if (std::pair(mine.longestDuration, sum.longest) >
                std::pair(sum.longestDuration, mine.longest)) { // the first of equally long calls
                sum.longestDuration = mine.longestDuration;
                sum.longest = mine.longest;
            }
        }
        for (const auto &[parent, children] : m_tied)
            tied[parent].insert(tied[parent].end(), children.begin(), children.end());
    }

private:
    bool countsAsParent(uint32_t call) const
    {
        return call != kNoRow && m_calls.isOperator[call] && m_groups.rowOfCall[call] != kNoRow;
    }

    bool isInsideSameRow(uint32_t call, uint32_t row) const
    {
        for (uint32_t around = m_calls.operatorAround(call); around != kNoRow; around = m_calls.operatorAround(around))
            if (m_groups.rowOfCall[around] == row)
                return true;
        return false;
    }

    void addCall(uint32_t call, uint32_t row, TimeSpan span)
    {
        OperatorTimes::Row &sum = m_rows[row];
        const Ns time = m_scope.clipped(span);
        const bool begins = m_scope.holds(span.begin);
        sum.calls += begins;
        sum.cut += !begins || time < span.duration();
        sum.hostSelf += time;
        if (!isInsideSameRow(call, row))
            sum.hostTotal += time;
        if (std::pair(span.duration(), sum.longest) > std::pair(sum.longestDuration, call)) {
            sum.longestDuration = span.duration();
            sum.longest = call;
        }
    }

    const Scope &m_scope;
    const CallTree &m_calls;
    const OperatorGroups &m_groups;
    std::vector<OperatorTimes::Row> m_rows;
    std::unordered_map<uint32_t, BigVector<TimeSpan>> m_tied; ///< all children of the calls that have crossing children
};

void addHostTimes(const Scope &scope, const OperatorGroups &groups, std::vector<OperatorTimes::Row> &rows)
{
    const std::vector<SliceRun> runs = scope.hostRuns(kRunSlices);
    std::unordered_map<uint32_t, BigVector<TimeSpan>> tied;
    std::atomic<size_t> next = 0;
    std::mutex mutex;
    parallelFor(workerCount(), [&](size_t) {
        HostTimes mine(scope, groups);
        for (size_t at = next++; at < runs.size(); at = next++) {
            throwIfStopped();
            mine.add(runs[at]);
        }
        const std::scoped_lock lock(mutex);
        mine.addTo(rows, tied);
    });
    for (auto &[parent, children] : tied) {
        const IntervalSet covered = IntervalSet::unionOf(std::move(children));
        for (const TimeSpan &span : covered.intervals())
            rows[groups.rowOfCall[parent]].hostSelf -= scope.clipped(span);
    }
}

/// The time that `span` adds to a union of intervals that do not start later and whose latest end is `end`. Updates
/// `end`.
Ns extended(Ns &end, TimeSpan span)
{
    const Ns more = std::max<Ns>(0, span.end - std::max(span.begin, end));
    end = std::max(end, span.end);
    return more;
}

/// The device side: goes through the device work in order of time and adds each piece to the operators that it belongs
/// to.
class DeviceShares {
public:
    DeviceShares(const Scope &scope, const OperatorGroups &groups, OperatorTimes &times)
        : m_scope(scope)
        , m_calls(scope.facts().calls())
        , m_groups(groups)
        , m_times(times)
        , m_tensorCores(scope.facts().trace())
        , m_selfEnd(groups.rows)
        , m_totalEnd(groups.rows)
        , m_seen(groups.rows, kNoRow)
    {
    }

    void add()
    {
        const DeviceWork &work = m_scope.facts().work();
        for (const DeviceWork::Device &device : work.devices) {
            std::fill(m_selfEnd.begin(), m_selfEnd.end(), INT64_MIN);
            std::fill(m_totalEnd.begin(), m_totalEnd.end(), INT64_MIN);
            for (uint32_t at = device.first; at < device.last; ++at) {
                throwIfStoppedAt(at);
                if (m_scope.launches(at))
                    addWork(work, at);
            }
        }
    }

private:
    void addWork(const DeviceWork &work, uint32_t at)
    {
        const TimeSpan span = work.span(at);
        const Ns duration = span.duration();
        const bool runsKernel = isKernel(work.role[at]);
        const TensorCores cores = runsKernel ? m_tensorCores.of(work.name[at]) : TensorCores::No;
        if (work.operation[at] == kNoRow) {
            ++m_times.workWithout;
            m_times.timeWithout += duration;
            return;
        }
        if (const uint32_t row = m_groups.rowOfCall[work.operation[at]]; row != kNoRow) {
            OperatorTimes::Row &sum = m_times.rows[row];
            sum.deviceSelf += duration;
            sum.deviceSelfUnion += extended(m_selfEnd[row], span);
            sum.tensorSelf += cores == TensorCores::Yes ? duration : 0;
        }
        for (uint32_t call = work.operation[at]; call != kNoRow; call = m_calls.operatorAround(call)) {
            const uint32_t row = m_groups.rowOfCall[call];
            if (row == kNoRow || std::exchange(m_seen[row], at) == at)
                continue; // nested calls of the same row count once
            OperatorTimes::Row &sum = m_times.rows[row];
            sum.deviceTotal += duration;
            sum.deviceTotalUnion += extended(m_totalEnd[row], span);
            sum.tensorTotal += cores == TensorCores::Yes ? duration : 0;
            sum.tensorUnknown += cores == TensorCores::Unknown ? duration : 0;
        }
    }

    const Scope &m_scope;
    const CallTree &m_calls;
    const OperatorGroups &m_groups;
    OperatorTimes &m_times;
    TensorCoreNames m_tensorCores;
    std::vector<Ns> m_selfEnd, m_totalEnd; ///< by row: the latest end of its work on this device so far
    std::vector<uint32_t> m_seen;          ///< by row: the last work that was added to its totals
};

} // namespace

OperatorTimes operatorTimes(const Scope &scope, const OperatorGroups &groups)
{
    OperatorTimes times;
    times.rows.resize(groups.rows);
    addHostTimes(scope, groups, times.rows);
    DeviceShares(scope, groups, times).add();
    return times;
}

} // namespace riffle
