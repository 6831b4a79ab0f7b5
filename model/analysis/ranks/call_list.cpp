// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/call_list.h"

#include "model/analysis/facts/device_properties.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/ranks/written_ranks.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

namespace riffle {

namespace {

constexpr int64_t kMostRanks = 1 << 20; ///< a larger world is damage

/// True if the list can be that of which only the first ranks were written.
bool startsWith(const RankList &whole, const std::vector<int64_t> &first)
{
    return std::ranges::all_of(first, [&](int64_t rank) { return whole.contains(rank); });
}

/// The groups that pg_config lists, whose lists are whole.
class ListedGroups {
public:
    explicit ListedGroups(const std::optional<DistributedInfo> &distributed)
    {
        if (!distributed)
            return;
        for (const ProcessGroup &each : distributed->groups) {
            RankList ranks = writtenRanks(each.ranks).whole;
            const auto size = static_cast<int64_t>(ranks.size());
            if (ranks.empty() || each.size.value_or(size) != size)
                continue;
            ++m_counts[rankListText(ranks)];
            m_byName[each.name].push_back(std::move(ranks));
        }
        const int64_t world = distributed->worldSize.value_or(0);
        if (world > 0 && world <= kMostRanks)
            m_world = RankList::firstRanks(world);
    }

    /// Finds the whole list of a group whose list is absent or cut, and sees whether another group has it, too.
    void complete(RecordedGroup &group) const
    {
        if (group.ranks.empty())
            group.ranks = listOf(group);
        if (group.ranks.empty())
            return;
        group.size = static_cast<int64_t>(group.ranks.size());
        const auto found = m_counts.find(rankListText(group.ranks));
        group.hasTwin = found != m_counts.end() && found->second > 1;
    }

private:
    RankList listOf(const RecordedGroup &group) const
    {
        RankList found;
        const auto named = group.name.empty() ? m_byName.end() : m_byName.find(group.name);
        if (named != m_byName.end())
            for (const RankList &whole : named->second) {
                if ((group.size > 0 && group.size != static_cast<int64_t>(whole.size())) ||
                    !startsWith(whole, group.first) || found == whole)
                    continue;
                if (!found.empty())
                    return {}; // one name, two sets of ranks
                found = whole;
            }
        if (found.empty() && group.size > 0 && group.size == static_cast<int64_t>(m_world.size()))
            found = m_world;
        return found;
    }

    std::map<std::string, std::vector<RankList>> m_byName;
    std::map<std::string, size_t> m_counts; ///< by ranks
    RankList m_world;
};

/// Collects the rows of one trace.
class CallLister {
public:
    explicit CallLister(const TraceFacts &facts)
        : m_trace(facts.trace())
        , m_calls(facts.collectives())
        , m_work(facts.work())
        , m_reader(m_trace)
        , m_listed(distributedOf(m_trace.info))
    {
    }

    CallList list()
    {
        readRecording();
        for (const CollectiveGroup &group : m_calls.groups)
            addGroup(group);
        for (const CollectiveCall &call : m_calls.calls)
            addCall(call);
        joinCoalesced();
        std::vector<CallRow> rows;
        for (size_t at = 0; at < m_rows.size(); ++at)
            if (!m_isLaunch[at])
                rows.push_back(m_rows[at]);
        giveGroups(rows);
        m_list.resolution = resolutionOf(rows);
        m_list.table = callTableOf(std::move(rows));
        return std::move(m_list);
    }

private:
    void readRecording()
    {
        m_list.rank = m_trace.info.rank;
        m_list.worldSize = m_trace.info.worldSize;
        m_list.unixBase = m_trace.info.baseTimeNs;
        std::vector<TimeMap::Knot> knots;
        if (m_list.unixBase && m_trace.info.clocks.size() > 1)
            for (const ClockReading &reading : m_trace.info.clocks)
                if (const Ns set = reading.unixNs - *m_list.unixBase;
                    knots.empty() || (reading.time > knots.back().trace && set > knots.back().set))
                    knots.push_back({reading.time, set});
        if (knots.size() > 1)
            m_list.wall = TimeMap(std::move(knots));
        readLaunchDelay();
    }

    void readLaunchDelay()
    {
        std::vector<Ns> delays;
        for (uint32_t at = 0; at < m_work.size(); ++at)
            if (m_work.launch[at] != DeviceWork::kNone && m_reader.seek(m_work.launch[at]))
                delays.push_back(m_work.start[at] - m_reader.end());
        if (delays.empty())
            return;
        const auto least = delays.begin() + static_cast<ptrdiff_t>(delays.size() / 1000);
        std::nth_element(delays.begin(), least, delays.end());
        m_list.leastLaunchDelay = *least;
    }

    void addGroup(const CollectiveGroup &from)
    {
        RecordedGroup &group = m_list.groups.emplace_back();
        group.name = from.name;
        group.description = from.description == "undefined" ? "" : from.description;
        WrittenRanks written = writtenRanks(from.ranks);
        group.first = std::move(written.first);
        group.size = from.size > 0 ? from.size : kNoInt;
        if (group.size == kNoInt || group.size == static_cast<int64_t>(written.whole.size()))
            group.ranks = std::move(written.whole); // otherwise the list and the size contradict each other
        if (!group.ranks.empty())
            group.size = static_cast<int64_t>(group.ranks.size());
        m_listed.complete(group);
    }

    uint32_t textOf(std::string_view text)
    {
        const auto [entry, isNew] = m_texts.emplace(std::string(text), m_list.texts.size());
        if (isNew)
            m_list.texts.emplace_back(text);
        return entry->second;
    }
    uint32_t streamOf(uint32_t work)
    {
        const auto &detail = m_work.detail[work];
        if (!detail)
            return CallTable::kNone;
        const std::pair key(detail[&DeviceTable::device], detail[&DeviceTable::stream]);
        return m_streams.emplace(key, static_cast<uint32_t>(m_streams.size())).first->second;
    }
    int64_t stepAt(Ns time) const
    {
        const auto after = std::upper_bound(m_trace.steps.begin(), m_trace.steps.end(), time,
                                            [](Ns value, const Step &step) { return value < step.span.begin; });
        if (after == m_trace.steps.begin())
            return kNoInt;
        const Step &step = *(after - 1);
        return step.span.contains(time) ? step.number : kNoInt;
    }

    /// True if a graph launched the work.
    bool isReplayed(uint32_t work)
    {
        const auto &detail = m_work.detail[work];
        const int64_t node = detail ? detail[&DeviceTable::graphNode] : kNoInt;
        if (node != kNoInt && node != 0)
            return true;
        const uint32_t launch = m_work.launch[work];
        return launch != DeviceWork::kNone && m_reader.seek(launch) &&
               m_trace.string(m_reader.name()).find("GraphLaunch") != std::string_view::npos;
    }

    void addCall(const CollectiveCall &call)
    {
        throwIfStoppedAt(m_rows.size());
        const auto work = m_calls.workOf(call);
        CallRow row{};
        row.hostStart = kNoInt;
        row.stream = CallTable::kNone;
        row.slice = call.host;
        if (call.host != DeviceWork::kNone && m_reader.seek(call.host)) {
            row.hostStart = m_reader.start();
            m_lanes.push_back(m_reader.lane().value);
        } else {
            m_lanes.push_back(LaneId::kNone);
        }
        if (!work.empty()) {
            row.start = m_work.start[work.front()];
            row.end = m_work.end[work.front()];
            for (const uint32_t at : work)
                row.end = std::max(row.end, m_work.end[at]);
            row.flags |= call_flag::Timed;
            row.slice = m_work.slice[work.front()];
            row.stream = streamOf(work.front());
            if (isReplayed(work.front()))
                row.flags |= call_flag::Replayed;
            if (row.hostStart == kNoInt && m_work.launch[work.front()] != DeviceWork::kNone)
                row.hostStart = m_work.launched[work.front()];
        } else if (call.range != DeviceWork::kNone && m_reader.seek(call.range)) {
            row.start = m_reader.start();
            row.end = m_reader.end();
            row.slice = call.range;
            row.flags |= call_flag::Timed | call_flag::OnHost;
        }
        row.bytes = call.bytes;
        row.step = row.hostStart == kNoInt ? kNoInt : stepAt(row.hostStart);
        row.sender = row.receiver = -1;
        if (isPointToPoint(call.kind))
            setPeers(call, row);
        row.group = call.group;
        row.operation = textOf(call.operation);
        row.dataType = textOf(call.dataType);
        row.kind = static_cast<uint8_t>(call.kind);
        if (call.isNumbered) {
            row.number = call.number;
            row.flags |= call_flag::Numbered;
        }
        if (call.commsId != kNoInt) {
            row.commsId = call.commsId;
            row.flags |= call_flag::HasComms;
        }
        if (call.source == CollectiveSource::KernelName)
            row.flags |= call_flag::KernelOnly;
        if (call.source == CollectiveSource::Host)
            row.flags |= call_flag::ByOperator;
        m_rows.push_back(row);
        m_isLaunch.push_back(false);
    }

    /// A sender and a receiver that were not recorded are this rank itself.
    void setPeers(const CollectiveCall &call, CallRow &row) const
    {
        const auto narrowed = [](int64_t rank) {
            return rank >= 0 && rank < kMostRanks ? static_cast<int32_t>(rank) : -1;
        };
        row.sender = narrowed(call.sourceRank);
        row.receiver = narrowed(call.destinationRank);
        const int32_t own = narrowed(call.rank != kNoInt ? call.rank : m_list.rank.value_or(-1));
        if (call.kind == CollectiveKind::Send && row.sender < 0)
            row.sender = own;
        if (call.kind == CollectiveKind::Receive && row.receiver < 0)
            row.receiver = own;
    }

    static bool isSameGroup(const CallRow &a, const CallRow &b)
    {
        return a.group == b.group && a.commsId == b.commsId &&
               (a.flags & call_flag::HasComms) == (b.flags & call_flag::HasComms);
    }
    /// Gives operations without kernels the times of the common launch of their group that follows them on their
    /// thread, with no launch of another call between.
    void joinCoalesced()
    {
        std::map<uint32_t, std::vector<size_t>> waiting; // by lane
        for (size_t at = 0; at < m_rows.size(); ++at) {
            if (m_lanes[at] == LaneId::kNone)
                continue;
            std::vector<size_t> &before = waiting[m_lanes[at]];
            const CallRow &row = m_rows[at];
            if (!(row.flags & call_flag::Timed)) {
                before.push_back(at);
                continue;
            }
            const bool isCommon = row.kind == static_cast<uint8_t>(CollectiveKind::Other) &&
                                  m_list.texts[row.operation].find("coalesced") != std::string::npos;
            size_t part = 0;
            // The range of a launch often tells no group. Then it is that of the call next to it.
            const CallRow &like = isDescribed(row) || before.empty() ? row : m_rows[before.back()];
            for (const size_t each : before) {
                CallRow &member = m_rows[each];
                if (!isCommon || !isSameGroup(member, like))
                    continue; // its kernel was lost
                member.start = row.start;
                member.end = row.end;
                member.stream = row.stream;
                member.slice = row.slice;
                member.part = static_cast<uint16_t>(std::min<size_t>(part++, UINT16_MAX));
                member.flags |= call_flag::Timed | call_flag::Coalesced;
            }
            m_isLaunch[at] = part > 0;
            before.clear();
        }
    }

    bool isDescribed(const CallRow &row) const
    {
        const RecordedGroup &group = m_list.groups[row.group];
        return !group.name.empty() || !group.ranks.empty() || group.size > 0 || (row.flags & call_flag::HasComms);
    }
    /// Calls of a stream whose group was not recorded have that of the others.
    void giveGroups(std::vector<CallRow> &rows) const
    {
        using Identity = std::tuple<uint32_t, bool, int64_t>;
        std::map<uint32_t, std::set<Identity>> ofStream;
        for (const CallRow &row : rows)
            if (row.stream != CallTable::kNone && isDescribed(row))
                ofStream[row.stream].insert({row.group, row.flags & call_flag::HasComms, row.commsId});
        for (CallRow &row : rows) {
            const auto found = ofStream.find(row.stream);
            if (found == ofStream.end() || found->second.size() != 1 || isDescribed(row))
                continue;
            const auto [group, hasComms, comms] = *found->second.begin();
            row.group = group;
            row.commsId = comms;
            row.flags |= call_flag::GroupOfStream | (hasComms ? uint16_t{call_flag::HasComms} : uint16_t{0});
        }
    }

    static Ns resolutionOf(const std::vector<CallRow> &rows)
    {
        constexpr Ns kMicrosecond = 1000;
        bool isAny = false;
        for (const CallRow &row : rows) {
            if (!(row.flags & call_flag::Timed))
                continue;
            isAny = true;
            if (row.start % kMicrosecond || row.end % kMicrosecond)
                return 1;
        }
        return isAny ? kMicrosecond : 1;
    }

    const Trace &m_trace;
    const CollectiveCalls &m_calls;
    const DeviceWork &m_work;
    SliceReader m_reader;
    ListedGroups m_listed;
    CallList m_list;
    std::vector<CallRow> m_rows;
    std::vector<uint32_t> m_lanes;   ///< per row, the lane of the call on the host
    std::vector<uint8_t> m_isLaunch; ///< per row, true for a common launch of others
    std::map<std::string, uint32_t> m_texts;
    std::map<std::pair<int32_t, int64_t>, uint32_t> m_streams;
};

template <size_t Field>
auto callColumn(const std::vector<CallRow> &rows)
{
    using T = std::remove_cvref_t<decltype(std::get<Field>(rows.front().members()))>;
    const auto values = std::make_shared<std::vector<T>>();
    values->reserve(rows.size());
    for (const CallRow &row : rows)
        values->push_back(std::get<Field>(row.members()));
    return Column<T>(values, values->data(), values->size());
}

} // namespace

CallTable callTableOf(std::vector<CallRow> rows)
{
    const auto key = [](const CallRow &row) {
        return std::tuple((row.flags & call_flag::Timed) ? row.start : row.hostStart, row.end, row.part, row.hostStart);
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const CallRow &a, const CallRow &b) { return key(a) < key(b); });
    CallTable table;
    auto columns = table.members();
    [&]<size_t... Field>(std::index_sequence<Field...>) { ((std::get<Field>(columns) = callColumn<Field>(rows)), ...); }
    (std::make_index_sequence<std::tuple_size_v<decltype(columns)>>());
    return table;
}

CallList callListOf(const TraceFacts &facts) { return CallLister(facts).list(); }

std::vector<int64_t> repeatedRanks(std::span<const CallList *const> lists)
{
    std::map<int64_t, int> counts;
    std::vector<int64_t> repeated;
    for (const CallList *list : lists)
        if (list->rank && ++counts[*list->rank] == 2)
            repeated.push_back(*list->rank);
    std::ranges::sort(repeated);
    return repeated;
}

} // namespace riffle
