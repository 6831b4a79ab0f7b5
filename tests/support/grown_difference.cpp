// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/grown_difference.h"

#include "tests/support/trace_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

namespace riffle::test {

namespace {

class Lines {
public:
    explicit Lines(const Trace &trace) : m_trace(trace)
    {
        for (const auto &segment : trace.segments)
            for (uint32_t index = 0; index < segment->size(); ++index)
                addSlice(*segment, index);
        addTable(trace.memory);
        addTable(trace.instants);
        addTable(trace.counters);
        for (const Step &step : trace.steps)
            m_lines.push_back(
                fmt::format("step {} {} {} {}", step.number, slice(step.slice), step.span.begin, step.span.end));
        for (uint32_t id = 0; id < trace.lanes.size(); ++id) {
            const Lane &one = trace.lanes[id];
            if (!one.empty)
                m_lines.push_back(fmt::format("lane {} slices {} span {} {} sort {}", lane(id), one.slices,
                                              one.span.begin, one.span.end, one.sortIndex));
        }
        const TraceInfo &info = trace.info;
        m_lines.push_back(fmt::format("info {} events {} recorded {} {} span {} {} base {} rank {} of {}", info.format,
                                      info.events, info.recorded.begin, info.recorded.end, trace.span.begin,
                                      trace.span.end, info.baseTimeNs.value_or(-1), info.rank.value_or(-1),
                                      info.worldSize.value_or(-1)));
        for (const auto &[phase, count] : info.eventsByPhase)
            m_lines.push_back(fmt::format("phase {} {}", phase, count));
        for (const auto &[key, value] : info.metadata)
            m_lines.push_back(fmt::format("metadata {} {}", key, value));
        std::ranges::sort(m_lines);
    }
    const std::vector<std::string> &lines() const { return m_lines; }

private:
    std::string lane(uint32_t id) const
    {
        const Lane &one = m_trace.lanes[id];
        return m_trace.processName(one.process) + " / " + m_trace.laneName(LaneId(id)) + '/' + laneKindName(one.kind);
    }
    std::string slice(SliceId id) const
    {
        const std::optional<Slice> one = m_trace.slice(id);
        return one ? fmt::format("<{} {}>", lane(one->lane.value), one->data.sourceOffset) : "none";
    }
    void addSlice(const Segment &segment, uint32_t index)
    {
        const SliceId id = segment.idAt(index);
        const Slice one = *m_trace.slice(id);
        const SliceRow &row = one.data;
        std::string line = fmt::format(
            "slice {} start {} dur {} length {} corr {} ext {} name {} cat {} flags {:x} phase {} detail {} self {} "
            "depth {} parent {} launch {} launched",
            slice(id), row.start, row.duration, row.sourceLength, row.correlation, row.externalId,
            m_trace.string(row.name), m_trace.string(row.category), row.flags, row.phase, static_cast<int>(row.detail),
            one.self, one.depth, slice(one.parent), slice(m_trace.launchOf(id)));
        std::set<std::string> launched;
        for (const SliceId work : m_trace.launchedBy(id))
            launched.insert(slice(work));
        for (const std::string &work : launched)
            line += work;
        if (m_trace.source) {
            const Result<std::string> text = m_trace.source->read(row.sourceOffset, row.sourceLength);
            line += " text " + (text ? *text : text.error().text());
        }
        m_lines.push_back(line);
    }
    template <typename Table>
    void addTable(const Table &table)
    {
        for (uint32_t row = 0; row < table.time.size(); ++row) {
            std::string line = Table::kName;
            std::apply(
                [&](const auto &...columns) {
                    const auto one = [&](const auto &column) {
                        const void *place = &column;
                        if (place == &table.lane)
                            line += ' ' + lane(table.lane[row]);
                        else if (isText(table, place))
                            line += ' ' + std::string(m_trace.string(static_cast<uint32_t>(column[row])));
                        else
                            line += fmt::format(" {}", column[row]);
                    };
                    (one(columns), ...);
                },
                table.members());
            m_lines.push_back(line);
        }
    }
    static bool isText(const MemoryTable &, const void *) { return false; }
    static bool isText(const InstantTable &table, const void *column)
    {
        return column == &table.name || column == &table.category;
    }
    static bool isText(const CounterTable &table, const void *column) { return column == &table.series; }

    const Trace &m_trace;
    std::vector<std::string> m_lines;
};

} // namespace

std::string grownDifference(const Trace &a, const Trace &b)
{
    const Lines first(a), second(b);
    const auto [mine, theirs] = std::ranges::mismatch(first.lines(), second.lines());
    if (mine != first.lines().end() || theirs != second.lines().end())
        return (mine == first.lines().end() ? "no line" : *mine) + "\ninstead of\n" +
               (theirs == second.lines().end() ? "no line" : *theirs);
    return reportDifference(a.report, b.report);
}

} // namespace riffle::test
