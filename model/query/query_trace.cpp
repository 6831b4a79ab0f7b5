// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/query_trace.h"

#include "model/query/query_table.h"
#include "model/query/summary_columns.h"

#include <algorithm>
#include <limits>

namespace riffle {

namespace {

const std::string kNothing;

} // namespace

QueryTrace::QueryTrace(const SetFacts &facts, const LoadedTrace &member, uint32_t place)
    : QueryFile(member.trace->strings, place, member.id.value, facts.size() > 1)
    , m_facts(&facts.of(member.id))
    , m_time(&member.time)
    , m_sameClock(m_time->identity())
    , m_deviceRows(trace(), &Segment::device)
    , m_collectiveRows(trace(), &Segment::collectives)
{
}

std::span<const QueryTable> QueryTrace::tables() const { return queryTables(); }

std::span<const SummaryColumn> QueryTrace::summaryColumns() const { return riffle::summaryColumns(isOneOfSeveral()); }

std::pair<Ns, Ns> QueryTrace::inTrace(Ns low, Ns high) const
{
    if (m_sameClock)
        return {low, high};
    // Limits outside the trace become open, so that no sum can overflow. If the map is not a plain shift, converting a
    // time back and forth changes it by less than kRounding.
    constexpr Ns kRounding = 4;
    constexpr Ns kFirst = std::numeric_limits<Ns>::min(), kLast = std::numeric_limits<Ns>::max();
    const TimeSpan whole = m_time->toSet(trace().span);
    const auto within = [&](Ns time) { return time > whole.begin && time < whole.end; };
    return {within(low)        ? m_time->toTrace(low) - kRounding
            : low < whole.end  ? kFirst
            : low == whole.end ? trace().span.end
                               : kLast,
            within(high)          ? m_time->toTrace(high) + kRounding
            : high > whole.begin  ? kLast
            : high == whole.begin ? trace().span.begin
                                  : kFirst};
}

const std::vector<std::string> &QueryTrace::laneNames() const
{
    if (m_laneNames.empty())
        for (uint32_t at = 0; at < trace().lanes.size(); ++at)
            m_laneNames.push_back(trace().laneName(LaneId(at)));
    return m_laneNames;
}

const std::vector<std::string> &QueryTrace::processNames() const
{
    if (m_processNames.empty())
        for (uint32_t at = 0; at < trace().processes.size(); ++at)
            m_processNames.push_back(trace().processName(ProcessId(at)));
    return m_processNames;
}

std::string QueryTrace::idText(RawId id) const
{
    switch (id.kind) {
    case RawId::Kind::None: break;
    case RawId::Kind::Signed: return std::to_string(id.bits);
    case RawId::Kind::Unsigned: return std::to_string(static_cast<uint64_t>(id.bits));
    case RawId::Kind::Text: return std::string(trace().string(static_cast<uint32_t>(id.bits)));
    }
    return {};
}

const std::vector<NameSums> &QueryTrace::slicesByName() const
{
    return m_slicesByName ? *m_slicesByName : m_slicesByName.emplace(sumSlicesByName(trace()));
}

const std::vector<NameSums> &QueryTrace::slicesByLaneAndName() const
{
    return m_slicesByLaneAndName ? *m_slicesByLaneAndName
                                 : m_slicesByLaneAndName.emplace(sumSlicesByLaneAndName(trace()));
}

const std::vector<NameSums> &QueryTrace::kernelsByName() const
{
    return m_kernelsByName ? *m_kernelsByName : m_kernelsByName.emplace(sumKernelsByName(facts()));
}

const std::string &QueryTrace::hashedText(uint64_t hash, const Segment &segment, uint32_t at,
                                          std::initializer_list<std::string_view> keys) const
{
    if (hash == 0 || !trace().source)
        return kNothing;
    constexpr size_t kMostBytes = 64 << 20;
    if (m_hashedBytes > kMostBytes) {
        m_hashed.clear();
        m_hashedBytes = 0;
    }
    const auto [known, isNew] = m_hashed.try_emplace(hash);
    if (!isNew)
        return known->second;
    const auto arguments =
        trace().source->arguments({segment.slices.sourceOffset[at], segment.slices.sourceLength[at]});
    if (arguments)
        known->second = argumentText(*arguments, keys);
    m_hashedBytes += known->second.size() + sizeof(*known);
    return known->second;
}

} // namespace riffle
