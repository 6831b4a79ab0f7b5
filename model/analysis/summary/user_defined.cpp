// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/summary/event_types.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/summary/timed_rows.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/ascii.h"
#include "model/base/big_vector.h"
#include "model/base/filled_vector.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <map>

namespace riffle {

namespace {

bool movesMemory(std::string_view name)
{
    const std::string lower = asciiLower(name);
    return lower.find("memcpy") != lower.npos || lower.find("memorycopy") != lower.npos ||
           lower.find("memset") != lower.npos;
}

/// Recognizes the ranges that users marked. Paddle's own ranges count only if they move memory.
class Ranges {
public:
    Ranges(const Trace &trace, const SliceClasses &classes, bool ofMemory)
        : m_trace(trace)
        , m_classes(classes)
        , m_ofMemory(ofMemory)
        , m_isPaddle(trace.info.format == "Paddle JSON")
    {
        for (uint32_t id = 0; id < trace.strings.count(); ++id)
            m_moves.push_back(movesMemory(trace.string(id)));
    }
    bool has(const SliceReader &reader) const
    {
        if (m_ofMemory != (m_moves[reader.name()] != 0) ||
            m_classes.of(reader.segment(), reader.at()) != SliceClass::Annotation)
            return false;
        if (!m_isPaddle)
            return true;
        const std::string_view category = m_trace.string(reader.category());
        return category == "PythonUserDefined" || (m_ofMemory && category == "UserDefined");
    }

private:
    const Trace &m_trace;
    const SliceClasses &m_classes;
    const bool m_ofMemory, m_isPaddle;
    std::vector<uint8_t> m_moves; ///< by StringId
};

/// The summed time of the device work that the chosen steps launched.
Ns timeLaunchedBySteps(const Scope &scope)
{
    Ns sum = 0;
    const DeviceWork &work = scope.facts().work();
    for (uint32_t at = 0; at < work.size(); ++at)
        if (const uint32_t step = scope.steps().ofWork[at];
            step != StepSet::kNone && scope.hasStep(step) && scope.launches(at))
            sum += work.duration(at);
    return sum;
}

/// True if the call is inside another one of its row, so that the other one's device work includes that of this one.
bool isInsideOwnRow(const HostNodes &nodes, const BigVector<uint32_t> &rowOfNode, uint32_t node)
{
    for (uint32_t around = nodes.parent[node]; around != HostNodes::kNone; around = nodes.parent[around])
        if (rowOfNode[around] == rowOfNode[node])
            return true;
    return false;
}

std::vector<TimedRow> rowsOf(const Scope &scope, bool byThread, bool ofMemory)
{
    const Trace &trace = scope.facts().trace();
    const Ranges ranges(trace, scope.facts().classes(), ofMemory);
    const HostNodes &nodes = scope.facts().nodes();
    const BigVector<Ns> device = nodeDeviceTimes(scope);
    const BigVector<Ns> launchedInSteps = nodeDeviceTimes(withinSteps(scope));
    const IntervalSet steps = stepTimes(ofEndedSteps(scope));
    SliceReader reader(trace);
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> rowOf; // by lane and name
    std::vector<TimedRow> rows;
    std::vector<uint32_t> lanes;
    std::vector<BigVector<TimeSpan>> spans;                                       // of each row's calls
    BigVector<uint32_t> rowOfNode = filledVector(nodes.size(), HostNodes::kNone); // where it is one of a row's calls
    forEachNode(scope, [&](uint32_t node) {
        if (!reader.seek(nodes.slice[node]) || !scope.touches(reader.span()) ||
            !scope.hasSlice(nodes.slice[node], reader.name()) || !ranges.has(reader))
            return;
        const uint32_t lane = byThread ? reader.lane().value : 0;
        const auto [found, isNew] = rowOf.try_emplace({lane, reader.name()}, static_cast<uint32_t>(rows.size()));
        if (isNew) {
            rows.emplace_back().name = std::string(trace.string(reader.name()));
            rows.back().thread = byThread ? trace.laneName(reader.lane()) : std::string();
            lanes.push_back(lane);
            spans.emplace_back();
        }
        TimedRow &row = rows[found->second];
        const Ns time = scope.clipped(reader.span());
        if (row.host.calls == 0 || time > row.host.longest)
            row.longest = {scope.trace(), SliceId(nodes.slice[node])};
        const bool begins = scope.holds(reader.start());
        row.host.add(time, begins);
        row.device.add(device[node], begins);
        spans[found->second].push_back(reader.span());
        rowOfNode[node] = found->second;
    });
    std::vector<Ns> deviceInSteps(rows.size(), 0);
    for (uint32_t node = 0; node < nodes.size(); ++node) {
        throwIfStoppedAt(node);
        if (rowOfNode[node] != HostNodes::kNone && !isInsideOwnRow(nodes, rowOfNode, node))
            deviceInSteps[rowOfNode[node]] += launchedInSteps[node];
    }
    const Ns host = steps.length(), launched = timeLaunchedBySteps(ofEndedSteps(scope));
    std::vector<uint32_t> order(rows.size());
    for (uint32_t at = 0; at < rows.size(); ++at) {
        order[at] = at;
        rows[at].calls = static_cast<int64_t>(rows[at].host.calls);
        rows[at].hostShare = ratio((IntervalSet::unionOf(std::move(spans[at])) & steps).length(), host);
        rows[at].deviceShare = launched ? ratio(deviceInSteps[at], launched) : 0;
    }
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return std::tuple(lanes[a], -rows[a].host.total, a) < std::tuple(lanes[b], -rows[b].host.total, b);
    });
    std::vector<TimedRow> ordered;
    for (const uint32_t at : order)
        ordered.push_back(rows[at]);
    return ordered;
}

} // namespace

ResultTable userDefinedTable(const Scope &scope, std::string_view groupBy)
{
    const bool byThread = groupBy == "thread";
    const bool ofMemory = groupBy == "memory";
    ResultTable table = timedTable(
        rowsOf(scope, byThread, ofMemory),
        {ofMemory ? "Ranges whose names say that they copy or set memory."
                  : "Ranges that the program marked, except those that copy or set memory.",
         "of the device work launched inside",
         "Time of the steps during which at least one of the calls ran / time of the steps.",
         "Time of the device work that the steps launched inside the calls / that of all device work that the "
         "steps launched. Each piece of work counts once."},
        byThread);
    if (table.rows() == 0 && ofMemory)
        table.absence = "The program marked no ranges whose names say that they copy or set memory.";
    else if (table.rows() == 0)
        table.setEmpty(notRecorded(scope.facts(), EmptySubject::Ranges));
    return table;
}

} // namespace riffle
