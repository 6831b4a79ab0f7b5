// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/critical_path/critical_path.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/idle/host_pieces.h"
#include "model/base/big_vector.h"
#include "model/base/merge_sort.h"
#include "model/base/stopping.h"
#include "model/trace/details.h"
#include "model/trace/sampled_lane.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

namespace riffle {

namespace {

/// Device work may have waited for other work that ended at most this long before it started, even if no wait is
/// recorded.
constexpr Ns kInferred = 20'000;

constexpr std::array<PathKindText, kPathKinds> kTexts{{
    {"compute", "Compute", "Kernels other than communication."},
    {"communication", "Communication", "Kernels of collectives and point-to-point transfers."},
    {"memcpy", "Memcpy", "Copies by the device."},
    {"memset", "Memset", "Memory set by the device."},
    {"launch_overhead", "Launch overhead",
     "From the start of a launch call to the start of its device work, if nothing else delayed the work."},
    {"kernel_delay", "Delay between kernels", "From the end of what device work waited for to the start of the work."},
    {"synchronisation", "Synchronisation",
     "From the end of the device work that a call waited for to the end of the call."},
    {"data_loading", "Data loading", "Waiting for the next batch."},
    {"runtime", "Runtime", "Runtime and driver calls."},
    {"cpu", "CPU", "Operators, Python frames and annotations."},
    {"nothing_recorded", "Nothing recorded", "Time for which the trace shows nothing."},
}};

PathKind kindOf(Role role)
{
    switch (role) {
    case Role::Memcpy: return PathKind::Memcpy;
    case Role::Memset: return PathKind::Memset;
    case Role::Communication: return PathKind::Communication;
    default: return PathKind::Compute;
    }
}

PathKind kindOf(SliceClass kind)
{
    return kind == SliceClass::Dataloader ? PathKind::DataLoading
           : isRuntimeCall(kind)          ? PathKind::Runtime
                                          : PathKind::Cpu;
}

/// The device work inside a window, of all streams or of one, in order of its end.
class Ends {
public:
    void add(const DeviceWork &work, uint32_t at) { m_order.push_back({work.end[at], work.start[at], at}); }
    void sort()
    {
        mergeSortRuns(m_order, [](const Entry &a, const Entry &b) {
            return a.end != b.end ? a.end < b.end : a.start != b.start ? a.start < b.start : a.work < b.work;
        });
    }
    /// The wanted work that ends last in (after, until]; kNone if there is none.
    template <typename Wanted>
    uint32_t last(Ns after, Ns until, Wanted wanted) const
    {
        auto at = std::upper_bound(m_order.begin(), m_order.end(), until,
                                   [](Ns time, const Entry &entry) { return time < entry.end; });
        while (at != m_order.begin() && (at - 1)->end > after)
            if (wanted((--at)->work))
                return at->work;
        return DeviceWork::kNone;
    }

private:
    struct Entry {
        Ns end, start;
        uint32_t work;
    };
    BigVector<Entry> m_order;
};

/// Follows the path back in time. The current position is on a thread or at the end of device work.
class Walk {
public:
    Walk(const Scope &scope, TimeSpan window)
        : m_scope(scope)
        , m_facts(scope.facts())
        , m_work(m_facts.work())
        , m_reader(m_facts.trace())
    {
        m_path.window = window;
        LaneId streamLane;
        Ends *stream = nullptr; // that of the work before, which is often on the same stream
        for (uint32_t at = 0; at < m_work.size(); ++at) {
            throwIfStoppedAt(at);
            if (m_work.end[at] <= window.begin || m_work.start[at] >= window.end || !m_reader.seek(m_work.slice[at]))
                continue;
            if (!stream || streamLane != m_reader.lane()) {
                streamLane = m_reader.lane();
                stream = &m_streams[streamLane];
            }
            m_all.add(m_work, at);
            stream->add(m_work, at);
        }
        m_all.sort();
        for (auto &[lane, ends] : m_streams)
            ends.sort();
        const std::vector<Lane> &lanes = m_facts.trace().lanes;
        std::vector<LaneId> threads;
        for (uint32_t lane = 0; lane < lanes.size(); ++lane)
            if (lanes[lane].kind == LaneKind::Thread && !lanes[lane].empty &&
                !sampledThread(m_facts.trace(), lanes[lane]))
                threads.emplace_back(lane);
        std::vector<ThreadPieces> pieces = cutThreads(m_facts.trace(), m_facts.classes(), threads, window);
        for (size_t at = 0; at < threads.size(); ++at)
            m_threads.try_emplace(threads[at], std::move(pieces[at]));
    }

    /// The thread with the most pieces in the window.
    LaneId busiestThread() const
    {
        LaneId busiest;
        size_t most = 0;
        for (const auto &[lane, thread] : m_threads)
            if (thread.count() > most) {
                most = thread.count();
                busiest = lane;
            }
        return busiest;
    }
    /// The device work that ends last in the window among the work for which `wanted` holds.
    template <typename Wanted>
    uint32_t lastWork(Wanted wanted) const
    {
        return m_all.last(m_path.window.begin, m_path.window.end, wanted);
    }

    CriticalPath fromThread(LaneId lane)
    {
        m_time = m_path.window.end;
        followFrom(lane, DeviceWork::kNone);
        return finished();
    }
    CriticalPath fromWork(uint32_t work)
    {
        m_time = m_path.window.end;
        add(m_work.end[work], PathKind::NothingRecorded, {});
        followFrom({}, work);
        return finished();
    }

private:
    void followFrom(LaneId lane, uint32_t work)
    {
        m_lane = lane;
        m_at = work;
        // Every iteration goes back in time, or to work that comes earlier in its stream.
        for (size_t number = 0;
             m_time > m_path.window.begin && (m_at != DeviceWork::kNone ? followWork() : followThread()); ++number)
            throwIfStoppedAt(number);
        add(m_path.window.begin, PathKind::NothingRecorded, {});
    }
    /// Adds the path's next segment, from `begin` to the current position.
    void add(Ns begin, PathKind kind, SliceRef slice)
    {
        begin = std::max(begin, m_path.window.begin);
        if (begin >= m_time)
            return;
        if (!m_found.empty() && m_found.back().kind == kind && m_found.back().slice == slice)
            m_found.back().span.begin = begin;
        else
            m_found.push_back({{begin, m_time}, slice, kind});
        m_time = begin;
    }
    SliceRef ref(uint32_t slice) const { return {m_scope.trace(), SliceId(slice)}; }

    bool followWork()
    {
        const uint32_t work = m_at;
        const Ns start = m_work.start[work];
        add(start, kindOf(m_work.role[work]), ref(m_work.slice[work]));
        if (start <= m_path.window.begin)
            return false;
        Ns launched = INT64_MIN;
        LaneId launcher;
        if (m_work.launch[work] != DeviceWork::kNone && m_reader.seek(m_work.launch[work]) &&
            m_reader.start() <= start) {
            launched = m_reader.start();
            launcher = m_reader.lane();
        }
        uint32_t before = m_reader.seek(m_work.slice[work]) ? lastOnStream(m_reader.lane(), work) : DeviceWork::kNone;
        const uint32_t source = m_facts.waits().source(work);
        const bool isSource =
            source != DeviceWork::kNone && m_work.end[source] <= start && m_work.start[source] < start;
        if (isSource && (before == DeviceWork::kNone || m_work.end[source] >= m_work.end[before]))
            before = source;
        Ns known = before == DeviceWork::kNone ? launched : std::max(launched, m_work.end[before]);
        if (known == INT64_MIN)
            return false;
        if (known < start - kInferred) {
            const uint32_t other =
                m_all.last(start - kInferred, start, [&](uint32_t one) { return one < work && sameDevice(one, work); });
            if (other != DeviceWork::kNone) {
                before = other;
                known = m_work.end[other];
                ++m_path.inferred;
            }
        }
        if (before != DeviceWork::kNone && m_work.end[before] >= launched) {
            add(known, PathKind::KernelDelay, ref(m_work.slice[work]));
            m_at = before;
        } else {
            add(known, PathKind::LaunchOverhead, ref(m_work.launch[work]));
            m_lane = launcher;
            m_at = DeviceWork::kNone;
        }
        return true;
    }

    /// The work that ended last on a stream before `work` started; kNone if there is none.
    uint32_t lastOnStream(LaneId lane, uint32_t work) const
    {
        const auto ends = m_streams.find(lane);
        if (ends == m_streams.end())
            return DeviceWork::kNone;
        return ends->second.last(m_path.window.begin, m_work.start[work], [&](uint32_t one) { return one < work; });
    }
    bool sameDevice(uint32_t a, uint32_t b) const
    {
        for (const DeviceWork::Device &device : m_work.devices)
            if (a >= device.first && a < device.last)
                return b >= device.first && b < device.last;
        return false;
    }

    bool followThread()
    {
        const auto found = m_threads.find(m_lane);
        if (found == m_threads.end())
            return false;
        const ThreadPieces &thread = found->second;
        const HostPiece *piece = thread.lastBefore(m_time);
        if (piece && piece->span.end >= m_time && piece->working) {
            if (const uint32_t awaited = awaitedBy(*piece); awaited != DeviceWork::kNone) {
                add(m_work.end[awaited], PathKind::Synchronisation, ref(piece->slice));
                m_at = awaited;
            } else {
                add(piece->span.begin, kindOf(piece->kind), ref(piece->slice));
            }
            return true;
        }
        return followIdle(thread);
    }

    /// Goes back over a time without recorded work on the thread: it may have waited for another thread to finish.
    bool followIdle(const ThreadPieces &thread)
    {
        const HostPiece *worked = thread.lastWorkingBefore(m_time);
        Ns since = worked ? worked->span.end : m_path.window.begin;
        LaneId other = m_lane;
        for (const auto &[lane, candidate] : m_threads) {
            if (lane == m_lane || !candidate.hasOperators())
                continue;
            const HostPiece *last = candidate.lastWorkingBefore(m_time);
            const Ns end = last ? last->span.end : INT64_MIN;
            if (end > since && end <= m_time) {
                since = end;
                other = lane;
            }
        }
        while (m_time > since) {
            const HostPiece *piece = thread.lastBefore(m_time);
            if (piece && piece->span.end >= m_time)
                add(std::max(since, piece->span.begin), kindOf(piece->kind), ref(piece->slice));
            else
                add(piece ? std::max(since, piece->span.end) : since, PathKind::NothingRecorded, {});
        }
        m_lane = other;
        return true;
    }

    /// The device work whose end a call waited for: for a copy its own work, otherwise the last work that ended inside
    /// the call and was launched before it; kNone if the call did not wait.
    uint32_t awaitedBy(const HostPiece &piece)
    {
        if (!isRuntimeCall(piece.kind) || !m_reader.seek(piece.slice))
            return DeviceWork::kNone;
        const Ns begin = m_reader.start();
        const bool isCopy = m_facts.trace().string(m_reader.name()).find("Memcpy") != std::string_view::npos;
        if (isCopy)
            return m_all.last(begin, m_time, [&](uint32_t work) { return m_work.launch[work] == piece.slice; });
        if (piece.kind != SliceClass::Waiting)
            return DeviceWork::kNone;
        const std::optional<int64_t> stream = awaitedStream(m_reader.segment().slices.correlation[m_reader.at()]);
        return m_all.last(begin, m_time, [&](uint32_t work) {
            const bool isBefore = m_work.launch[work] == DeviceWork::kNone ||
                                  (m_reader.seek(m_work.launch[work]) && m_reader.start() < begin);
            return isBefore && (!stream || m_work.detail[work][&DeviceTable::stream] == *stream);
        });
    }

    /// The stream that a call waited for, if that was recorded.
    std::optional<int64_t> awaitedStream(int64_t correlation)
    {
        if (m_awaitedStreams.empty())
            forEachDetail(m_facts.trace(), &Segment::syncs, [&](const Segment &segment, uint32_t at, uint32_t row) {
                m_awaitedStreams.emplace(segment.slices.correlation[at], segment.syncs.waitStream[row]);
            });
        const auto found = m_awaitedStreams.find(correlation);
        if (correlation == kNoInt || found == m_awaitedStreams.end())
            return std::nullopt;
        const int64_t stream = found->second;
        const bool isOne = stream >= 0 && stream < UINT32_MAX; // all bits set means all streams
        return isOne ? std::optional(stream) : std::nullopt;
    }

    CriticalPath finished()
    {
        m_path.segments.reserve(m_found.size());
        for (; !m_found.empty(); m_found.pop_back()) {
            throwIfStoppedAt(m_found.size());
            const PathSegment &segment = m_path.segments.emplace_back(m_found.back());
            m_path.sums[static_cast<size_t>(segment.kind)] += segment.span.duration();
        }
        return std::move(m_path);
    }

    const Scope &m_scope;
    const TraceFacts &m_facts;
    const DeviceWork &m_work;
    SliceReader m_reader;
    Ends m_all;
    std::map<LaneId, Ends> m_streams;
    std::map<LaneId, ThreadPieces> m_threads;
    std::map<int64_t, int64_t> m_awaitedStreams; ///< by the call's correlation; from the tables of synchronisations
    std::deque<PathSegment> m_found;             ///< backwards; a vector would stop for tens of milliseconds to grow
    CriticalPath m_path;
    Ns m_time = 0;                     ///< the current position in time
    LaneId m_lane;                     ///< the thread at that position, if m_at is kNone
    uint32_t m_at = DeviceWork::kNone; ///< the device work that ends there, or kNone
};

} // namespace

const PathKindText &textOf(PathKind kind) { return kTexts[static_cast<size_t>(kind)]; }

CriticalPath criticalPathOfStep(const Scope &scope, uint32_t number)
{
    const StepSet::Step &step = scope.steps().steps[number];
    TimeSpan window = step.host;
    const DeviceWork &work = scope.facts().work();
    uint32_t last = DeviceWork::kNone;
    for (uint32_t at = 0; at < work.size(); ++at)
        if (scope.steps().ofWork[at] == number && (last == DeviceWork::kNone || work.end[at] > work.end[last]))
            last = at;
    // A step of the device ends with its work; its mark is not on a thread.
    const bool endsOnDevice = last != DeviceWork::kNone && (scope.steps().onDevice || work.end[last] > window.end);
    if (endsOnDevice)
        window.end = work.end[last];
    Walk walk(scope, window);
    if (endsOnDevice)
        return walk.fromWork(last);
    SliceReader reader(scope.facts().trace());
    const bool hasThread = step.slice.valid() && !scope.steps().onDevice && reader.seek(step.slice.value);
    return walk.fromThread(hasThread ? reader.lane() : walk.busiestThread());
}

CriticalPath criticalPathOf(const Scope &scope, TimeSpan window)
{
    const DeviceWork &work = scope.facts().work();
    // Take the last started piece of work among those that run at the window's end.
    uint32_t running = DeviceWork::kNone;
    for (uint32_t at = 0; at < work.size(); ++at)
        if (work.start[at] < window.end && work.end[at] >= window.end &&
            (running == DeviceWork::kNone || work.start[at] > work.start[running]))
            running = at;
    Walk walk(scope, window);
    return running != DeviceWork::kNone ? walk.fromWork(running) : walk.fromThread(walk.busiestThread());
}

} // namespace riffle
