// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/summary/timed_rows.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/big_vector.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace riffle {

namespace {

/// Where a row occurs: the start of its parent's call, and its own start in that call. Rows of equal rank are ordered
/// as in the latest call.
struct TreePlace {
    Ns call = INT64_MIN, at = 0;
    void see(Ns newCall, Ns newAt)
    {
        if (newCall > call)
            *this = {newCall, newAt};
        else if (newCall == call)
            at = std::min(at, newAt);
    }
    bool operator<(const TreePlace &other) const { return std::tuple(-call, at) < std::tuple(-other.call, other.at); }
};

/// Identifies a row: the row above it, its thread, its name, and whether it runs on the device or on the host.
struct NodeKey {
    uint32_t above, lane, name;
    bool onDevice;
    auto operator<=>(const NodeKey &) const = default;
};

class TreeMaker {
public:
    TreeMaker(const Scope &scope, bool byThread)
        : m_scope(scope)
        , m_trace(scope.facts().trace())
        , m_reader(m_trace)
        , m_nodes(scope.facts().nodes())
        , m_device(nodeDeviceTimes(scope))
        , m_byThread(byThread)
        , m_rowOfNode(m_nodes.size(), HostNodes::kNone)
    {
    }

    std::vector<TimedRow> make()
    {
        forEachNode(m_scope, [&](uint32_t node) {
            if (m_nodes.isOperator[node])
                addNode(node, HostNodes::kNone);
        });
        forEachNode(m_scope, [&](uint32_t node) {
            if (const uint32_t around = m_nodes.parent[node];
                !m_nodes.isOperator[node] && around != HostNodes::kNone && m_nodes.isOperator[around])
                addNode(node, around);
        });
        const DeviceWork &work = m_scope.facts().work();
        for (uint32_t at = 0; at < work.size(); ++at)
            if (const uint32_t node = m_nodes.ofWork[at];
                m_scope.launches(at) && node != HostNodes::kNone && m_rowOfNode[node] != HostNodes::kNone)
                addWork(at, node);
        return ordered();
    }

private:
    struct Made {
        TimedRow row;
        uint32_t above;
        uint32_t lane;
        bool onDevice;
        Ns longest = -1;
        TreePlace place;
        std::vector<uint32_t> below;
    };

    uint32_t rowFor(const NodeKey &key)
    {
        const auto [found, isNew] = m_rows.try_emplace(key, static_cast<uint32_t>(m_made.size()));
        if (isNew) {
            Made &made = m_made.emplace_back(Made{{}, key.above, key.lane, key.onDevice, -1, {}, {}});
            made.row.name = std::string(m_trace.string(key.name));
            if (key.above != HostNodes::kNone) {
                made.row.depth = m_made[key.above].row.depth + 1;
                m_made[key.above].below.push_back(found->second);
            }
        }
        return found->second;
    }

    void addNode(uint32_t node, uint32_t around)
    {
        if (!m_reader.seek(m_nodes.slice[node]) || !m_scope.touches(m_reader.span()))
            return;
        const uint32_t above = around == HostNodes::kNone ? HostNodes::kNone : m_rowOfNode[around];
        if (around != HostNodes::kNone && above == HostNodes::kNone)
            return;
        if (around == HostNodes::kNone && !m_scope.hasSlice(m_nodes.slice[node], m_reader.name()))
            return;
        const TimeSpan span = m_reader.span();
        const uint32_t lane = m_byThread ? m_reader.lane().value : 0;
        const uint32_t index = rowFor({above, lane, m_reader.name(), false});
        Made &made = m_made[index];
        m_rowOfNode[node] = index;
        const Ns time = m_scope.clipped(span);
        const bool begins = m_scope.holds(span.begin);
        made.row.host.add(time, begins);
        made.row.device.add(m_device[node], begins);
        if (time > made.longest) {
            made.longest = time;
            made.row.longest = {m_scope.trace(), SliceId(m_nodes.slice[node])};
        }
        const bool hasParent = around != HostNodes::kNone && m_reader.seek(m_nodes.slice[around]);
        made.place.see(hasParent ? m_reader.start() : span.begin, span.begin);
    }

    void addWork(uint32_t at, uint32_t node)
    {
        const DeviceWork &work = m_scope.facts().work();
        const uint32_t index = rowFor({m_rowOfNode[node], m_made[m_rowOfNode[node]].lane, work.name[at], true});
        Made &made = m_made[index];
        made.row.device.add(work.duration(at));
        if (work.duration(at) > made.longest) {
            made.longest = work.duration(at);
            made.row.longest = {m_scope.trace(), SliceId(work.slice[at])};
        }
        const Ns launched = m_reader.seek(work.launch[at]) ? m_reader.start() : work.start[at];
        made.place.see(m_reader.seek(m_nodes.slice[node]) ? m_reader.start() : launched, launched);
    }

    std::vector<TimedRow> ordered()
    {
        std::map<uint32_t, std::pair<Ns, Ns>> wholes; // by lane: host and device time of the top rows
        std::vector<uint32_t> top;
        for (uint32_t index = 0; index < m_made.size(); ++index) {
            const Made &made = m_made[index];
            if (made.above != HostNodes::kNone)
                continue;
            top.push_back(index);
            wholes[made.lane].first += made.row.host.totalOrZero();
            wholes[made.lane].second += made.row.device.totalOrZero();
        }
        std::sort(top.begin(), top.end(), [&](uint32_t a, uint32_t b) {
            return std::tuple(m_made[a].lane, -m_made[a].row.host.total, m_made[a].place, a) <
                   std::tuple(m_made[b].lane, -m_made[b].row.host.total, m_made[b].place, b);
        });
        std::vector<TimedRow> rows;
        for (const uint32_t index : top)
            emit(index, wholes[m_made[index].lane].first, wholes[m_made[index].lane].second, rows);
        return rows;
    }

    /// Appends a row with its shares of the row above, then the rows below it: calls first, then the row's own device
    /// work.
    void emit(uint32_t index, Ns host, Ns device, std::vector<TimedRow> &rows)
    {
        Made &made = m_made[index];
        TimedRow &row = made.row;
        row.calls = static_cast<int64_t>(made.onDevice ? row.device.calls : row.host.calls);
        if (!made.onDevice)
            row.hostShare = host ? ratio(row.host.totalOrZero(), host) : 0;
        row.deviceShare = device ? ratio(row.device.totalOrZero(), device) : 0;
        if (m_byThread)
            row.thread = m_trace.laneName(LaneId(made.lane));
        rows.push_back(row);
        std::sort(made.below.begin(), made.below.end(), [&](uint32_t a, uint32_t b) {
            return std::tuple(m_made[a].onDevice, m_made[a].place, a) <
                   std::tuple(m_made[b].onDevice, m_made[b].place, b);
        });
        for (const uint32_t below : made.below)
            emit(below, row.host.totalOrZero(), row.device.totalOrZero(), rows);
    }

    const Scope &m_scope;
    const Trace &m_trace;
    SliceReader m_reader;
    const HostNodes &m_nodes;
    const BigVector<Ns> m_device; ///< by node
    const bool m_byThread;
    BigVector<uint32_t> m_rowOfNode;
    std::map<NodeKey, uint32_t> m_rows;
    std::vector<Made> m_made;
};

} // namespace

ResultTable operatorTreeTable(const Scope &scope, std::string_view groupBy)
{
    const bool byThread = groupBy == "thread";
    ResultTable table = timedTable(
        TreeMaker(scope, byThread).make(),
        {"Operators. Below each are the operators and annotations directly inside it, and the device work that it "
         "launched itself.",
         "of the device work launched inside",
         "Host total / host total of the row above, or of all top rows for a top row.",
         "Device total / device total of the row above, or of all top rows for a top row."},
        byThread);
    if (table.rows() == 0)
        table.setEmpty(notRecorded(scope.facts(), EmptySubject::Operators));
    return table;
}

} // namespace riffle
