// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/busy_share.h"

#include "model/trace/sampled_lane.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <queue>

namespace riffle {

namespace {

/// A position in one drawing row of a segment, which advances in order of start.
struct RowCursor {
    const Segment *segment;
    uint32_t at;
    uint32_t last;
    Ns start() const { return segment->slices.start[at]; }
};

struct LaterStart {
    bool operator()(const RowCursor &a, const RowCursor &b) const { return a.start() > b.start(); }
};

class Bins {
public:
    Bins(TimeSpan span, std::vector<float> &share) : m_span(span), m_share(share)
    {
        assert(!span.empty() && !share.empty());
        m_length = static_cast<double>(span.duration()) / static_cast<double>(share.size());
    }

    void add(Ns begin, Ns end)
    {
        const TimeSpan part = TimeSpan{begin, end}.clipped(m_span);
        if (part.empty())
            return;
        const double from = static_cast<double>(part.begin - m_span.begin) / m_length;
        const double to = static_cast<double>(part.end - m_span.begin) / m_length;
        const size_t first = std::min(static_cast<size_t>(from), m_share.size() - 1);
        const size_t last = std::min(static_cast<size_t>(to), m_share.size() - 1);
        if (first == last) {
            m_share[first] += static_cast<float>(to - from);
            return;
        }
        m_share[first] += static_cast<float>(static_cast<double>(first + 1) - from);
        for (size_t bin = first + 1; bin < last; ++bin)
            m_share[bin] += 1;
        m_share[last] += static_cast<float>(to - static_cast<double>(last));
    }

private:
    TimeSpan m_span;
    std::vector<float> &m_share;
    double m_length;
};

void addUnion(std::vector<RowCursor> rows, const TimeMap &map, Bins &bins, const Task &task)
{
    std::priority_queue<RowCursor, std::vector<RowCursor>, LaterStart> open(LaterStart(), std::move(rows));
    TimeSpan run{0, 0};
    const auto close = [&] {
        if (!run.empty())
            bins.add(map.toSet(run.begin), map.toSet(run.end));
    };
    for (uint64_t steps = 0; !open.empty(); ++steps) {
        if (steps % 65536 == 0 && task.stopped())
            return;
        RowCursor row = open.top();
        open.pop();
        // While this row has the earliest slice, continue with it without touching the queue.
        const Ns limit = open.empty() ? INT64_MAX : open.top().start();
        while (row.at < row.last && row.start() <= limit) {
            if (!(row.segment->slices.flags[row.at] & slice_flag::Annotation)) {
                const Ns start = row.start();
                const Ns end = start + row.segment->slices.duration[row.at];
                if (start > run.end || run.empty()) {
                    close();
                    run = {start, end};
                } else {
                    run.end = std::max(run.end, end);
                }
            }
            ++row.at;
        }
        if (row.at < row.last)
            open.push(row);
    }
    close();
}

void collectRows(const Trace &trace, const Lane &lane, bool topRowOnly, std::vector<RowCursor> &out)
{
    for (const uint32_t index : lane.segments) {
        if (index >= trace.segments.size())
            continue;
        const Segment &segment = *trace.segments[index];
        for (uint32_t row = 0; row < (topRowOnly ? std::min(1u, segment.rows()) : segment.rows()); ++row)
            if (segment.rowBegin[row] < segment.rowBegin[row + 1])
                out.push_back({&segment, segment.rowBegin[row], std::min(segment.rowBegin[row + 1], segment.size())});
    }
}

} // namespace

std::vector<BusyLine> busyLines(const TraceSet &set, TimeSpan span, size_t bins, Task task)
{
    std::vector<BusyLine> lines;
    if (span.empty() || bins == 0)
        return lines;
    for (const LoadedTrace &member : set.loaded()) {
        const Trace &trace = *member.trace;
        std::map<int32_t, std::vector<RowCursor>> devices;
        for (const Lane &lane : trace.lanes) {
            if (lane.kind != LaneKind::Stream)
                continue;
            const bool known = lane.process.value < trace.processes.size();
            collectRows(trace, lane, false, devices[known ? trace.processes[lane.process.value].device : 0]);
        }
        if (devices.empty())
            for (const Lane &lane : trace.lanes)
                if (lane.kind == LaneKind::Thread && !sampledThread(trace, lane))
                    collectRows(trace, lane, true, devices[-1]);
        for (auto &[device, rows] : devices) {
            BusyLine line;
            line.trace = member.id;
            line.device = device;
            line.title = device < 0 ? "Host" : "GPU " + std::to_string(device);
            line.share.assign(bins, 0.0f);
            Bins target(span, line.share);
            addUnion(std::move(rows), member.time, target, task);
            if (task.stopped())
                return {};
            for (float &share : line.share)
                share = std::min(share, 1.0f);
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

} // namespace riffle
