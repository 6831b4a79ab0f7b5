// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/trace_difference.h"

#include <algorithm>

namespace riffle::test {

namespace {

std::string segmentProblem(const Trace &trace, const Segment &segment)
{
    const SliceTable &slices = segment.slices;
    const auto slice = [&](uint32_t at) { return "slice " + std::to_string(segment.idAt(at).value) + ": "; };
    if (segment.lane.value >= trace.lanes.size() || segment.rowBegin.empty() || segment.rowBegin[0] != 0 ||
        segment.rowBegin[segment.rows()] != segment.size())
        return "a segment whose rows do not make up its slices";
    for (uint32_t at = 0; at < segment.size(); ++at) {
        if (slices.duration[at] < 0 || slices.start[at] > INT64_MAX - slices.duration[at])
            return slice(at) + "absurd time";
        if (slices.start[at] < segment.span.begin || segment.end(at) > segment.span.end)
            return slice(at) + "outside its segment's span";
        // The events of a log have addresses that are not offsets in a text.
        const uint64_t textEnd = trace.info.format == "Riffle log" ? INT64_MAX : trace.info.textBytes;
        if (slices.sourceOffset[at] > textEnd || slices.sourceLength[at] > textEnd - slices.sourceOffset[at])
            return slice(at) + "source beyond the text";
        if (slices.name[at] >= trace.strings.count() || slices.category[at] >= trace.strings.count())
            return slice(at) + "unknown string";
        const SliceId parent = trace.parentOf(segment, at);
        if (!parent.valid() && trace.depthOf(segment, at) != 0)
            return slice(at) + "deep without a parent";
        if (trace.selfOf(segment, at) < 0 || trace.selfOf(segment, at) > slices.duration[at])
            return slice(at) + "self time";
        if (!parent.valid())
            continue;
        const auto outer = trace.slice(parent);
        if (!outer || outer->lane != segment.lane || outer->depth + 1 != trace.depthOf(segment, at))
            return slice(at) + "wrong parent";
        if (outer->data.start > slices.start[at] || outer->end() < segment.end(at))
            return slice(at) + "its parent does not contain it";
    }
    for (uint32_t row = 0; row < segment.rows(); ++row) {
        if (segment.rowBegin[row] > segment.rowBegin[row + 1])
            return "rows out of order";
        for (uint32_t at = segment.rowBegin[row] + 1; at < segment.rowBegin[row + 1]; ++at)
            if (slices.start[at] < segment.end(at - 1))
                return slice(at) + "overlaps the one before on its drawing row";
    }
    return {};
}

/// Checks a segment's part of a side table, which is ordered by slice.
template <typename Table>
std::string sideProblem(const Segment &segment, const Table &table)
{
    const auto isElsewhere = [&](uint32_t slice) { return segment.indexOf(SliceId(slice)) == kNoRow; };
    if (!std::ranges::is_sorted(table.slice) || std::ranges::any_of(table.slice, isElsewhere))
        return std::string(Table::kName) + " out of order";
    return {};
}

/// Checks the side tables of a segment, and that a slice has a row in the one that it names.
std::string detailProblem(const Segment &segment)
{
    for (std::string problem : {sideProblem(segment, segment.operators), sideProblem(segment, segment.python),
                                sideProblem(segment, segment.device), sideProblem(segment, segment.collectives),
                                sideProblem(segment, segment.syncs)})
        if (!problem.empty())
            return problem;
    size_t rows = segment.operators.slice.size() + segment.python.slice.size() + segment.device.slice.size();
    for (uint32_t at = 0; at < segment.size(); ++at) {
        const SliceDetail kind = segment.slices.detail[at];
        const SliceId slice = segment.idAt(at);
        const bool hasRow = kind == SliceDetail::Operator ? bool(segment.detailOf(&Segment::operators, slice))
                            : kind == SliceDetail::Python ? bool(segment.detailOf(&Segment::python, slice))
                            : kind == SliceDetail::Device ? bool(segment.detailOf(&Segment::device, slice))
                                                          : true;
        if (!hasRow)
            return "a slice without the details that it names";
        rows -= kind != SliceDetail::None;
    }
    return rows == 0 ? std::string() : "details of slices that name none";
}

} // namespace

std::string sealProblem(const Trace &trace)
{
    uint32_t next = 0;
    for (const auto &segment : trace.segments) {
        if (segment->firstSlice != next || !segment->ids.empty())
            return "segments leave out ids";
        next += segment->size();
        if (std::string problem = segmentProblem(trace, *segment) + detailProblem(*segment); !problem.empty())
            return problem;
    }
    const auto beyond = [](const Column<uint32_t> &column, uint64_t count) {
        return std::any_of(column.begin(), column.end(), [&](uint32_t id) { return id != UINT32_MAX && id >= count; });
    };
    if (beyond(trace.instants.lane, trace.lanes.size()) || beyond(trace.counters.lane, trace.lanes.size()) ||
        beyond(trace.flows.lane, trace.lanes.size()) || beyond(trace.memory.lane, trace.lanes.size()))
        return "an unknown lane";
    const uint64_t slices = trace.sliceCount();
    if (beyond(trace.flows.slice, slices) || beyond(trace.flowsBySlice, trace.flows.slice.size()) ||
        std::ranges::any_of(trace.segments, [&](const auto &each) { return beyond(each->device.launch, slices); }))
        return "a link to nothing";
    for (size_t link = 0; link < trace.launches.size(); ++link)
        if (trace.launchOf(trace.launches.work(link)) != trace.launches.launch(link))
            return "a link that its work does not have";
    if (beyond(trace.instants.name, trace.strings.count()) || beyond(trace.counters.series, trace.strings.count()))
        return "an unknown string";
    for (const Lane &lane : trace.lanes)
        if (lane.process.value >= trace.processes.size())
            return "an unknown process";
    return {};
}

} // namespace riffle::test
