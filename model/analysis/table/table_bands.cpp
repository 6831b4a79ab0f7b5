// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/table_bands.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/base/big_vector.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace riffle {

namespace {

const ResultColumn *integers(const ResultTable &table, std::string_view key)
{
    const ResultColumn *column = table.column(key);
    return column && column->isInteger() ? column : nullptr;
}

const ResultColumn *names(const ResultTable &table)
{
    const ResultColumn *name = table.column("name");
    if (name && name->kind == CellKind::Text)
        return name;
    const auto text = std::find_if(table.columns.begin(), table.columns.end(),
                                   [](const ResultColumn &column) { return column.kind == CellKind::Text; });
    return text == table.columns.end() ? nullptr : &*text;
}

/// The GPU of a stream's lane; -1 for other lanes.
int32_t deviceOf(const Trace &trace, LaneId id)
{
    const Lane &lane = trace.lanes[id.value];
    if (lane.kind != LaneKind::Stream)
        return -1;
    return lane.process.value < trace.processes.size() ? std::max(0, trace.processes[lane.process.value].device) : 0;
}

/// Collects the bands of one trace.
class TraceBands {
public:
    TraceBands(const LoadedTrace &member, const BandTrack &track)
        : m_member(member)
        , m_reader(*member.trace)
        , m_track(track)
    {
    }

    /// Adds a band; `time` is set time, and defaults to that of the slice.
    void add(std::optional<TimeSpan> time, SliceId slice, std::string_view name)
    {
        const bool known = slice.valid() && m_reader.seek(slice.value);
        if (!time && !known)
            return;
        if (time && !clip(*time))
            return;
        if (name.empty())
            name = known ? m_member.trace->string(m_reader.name()) : std::string_view(m_track.title);
        const auto [number, isNew] =
            m_names.try_emplace(std::string(name), static_cast<uint32_t>(m_track.names.size()));
        if (isNew)
            m_track.names.emplace_back(name);
        m_bands.push_back(
            {time ? m_member.time.toTrace(*time) : m_reader.span(), number->second, known ? slice : SliceId()});
        const int32_t device = known ? deviceOf(*m_member.trace, m_reader.lane()) : -1;
        m_device = m_bands.size() == 1 || device == m_device ? device : -1;
    }
    bool empty() const { return m_bands.empty(); }
    std::shared_ptr<const BandTrack> finish()
    {
        m_track.device = m_device;
        return bandTrack(std::move(m_track), std::move(m_bands));
    }

private:
    /// Clips a time to the trace, because a query can return any time. False if nothing is left.
    bool clip(TimeSpan &time) const
    {
        const TimeSpan whole = m_member.time.toSet(m_member.trace->span);
        const bool touches = time.begin <= whole.end && time.end >= whole.begin;
        time = {std::max(time.begin, whole.begin), std::min(time.end, whole.end)};
        return touches;
    }

    const LoadedTrace &m_member;
    SliceReader m_reader;
    BandTrack m_track;
    std::unordered_map<std::string, uint32_t> m_names;
    BigVector<Band> m_bands;
    int32_t m_device = -1;
};

} // namespace

bool hasTimes(const ResultTable &table)
{
    return table.rows() > 0 && (integers(table, "ts") || !table.evidence.empty());
}

SetBands bandsOf(const ResultTable &table, const TraceSet &set, const BandTrack &track)
{
    const ResultColumn *ts = integers(table, "ts"), *dur = integers(table, "dur"), *of = integers(table, "trace"),
                       *name = names(table);
    std::vector<TraceBands> found;
    PerTrace<TraceBands *> ofTrace;
    found.reserve(set.size());
    for (const LoadedTrace &member : set.loaded())
        ofTrace[member.id] = &found.emplace_back(member, track);
    for (size_t row = 0; row < table.rows(); ++row) {
        const SliceRef slice = row < table.evidence.size() ? table.evidence[row] : SliceRef{};
        const int64_t trace = slice.valid()            ? int64_t{slice.trace.value}
                              : of && !of->absent(row) ? of->integers[row]
                              : set.empty()            ? -1
                                                       : int64_t{set.loaded().front().id.value};
        if (trace < 0 || trace >= int64_t{set.idsEnd()})
            continue;
        TraceBands *bands = std::as_const(ofTrace)[TraceId(static_cast<uint32_t>(trace))];
        if (!bands)
            continue;
        std::optional<TimeSpan> time;
        if (ts && !ts->absent(row))
            time = TimeSpan{
                ts->integers[row],
                saturatedSum(ts->integers[row], dur && !dur->absent(row) ? std::max<Ns>(0, dur->integers[row]) : 0)};
        bands->add(time, slice.slice, name ? std::string_view(name->texts[row]) : std::string_view());
    }
    SetBands all;
    for (const LoadedTrace &member : set.loaded())
        if (!ofTrace[member.id]->empty())
            all[member.id].push_back(ofTrace[member.id]->finish());
    return all;
}

} // namespace riffle
