// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/recording_gaps.h"

#include "model/analysis/facts/scope.h"
#include "model/base/format.h"

#include <algorithm>
#include <map>

namespace riffle {

namespace {

std::string_view idText(const Trace &trace, const RawId &id)
{
    return id.kind == RawId::Kind::Text ? trace.string(static_cast<uint32_t>(id.bits)) : std::string_view();
}

bool hasGaps(const Trace &trace, const Lane &lane)
{
    return lane.kind == LaneKind::Thread && idText(trace, trace.processes[lane.process.value].pid) == kGapProcess;
}

bool hidesDevices(const Trace &trace, const Lane &lane)
{
    const std::string_view source = idText(trace, lane.tid);
    return source == kGapOfEverything || source == kGapOfCuda;
}

} // namespace

RecordingGaps::RecordingGaps(const Trace &trace)
{
    BigVector<TimeSpan> spans;
    for (uint32_t number = 0; number < trace.lanes.size(); ++number) {
        const Lane &lane = trace.lanes[number];
        if (!hasGaps(trace, lane))
            continue;
        std::vector<Gap> &found = hidesDevices(trace, lane) ? gaps : onHost;
        for (const uint32_t of : lane.segments) {
            const Segment &segment = *trace.segments[of];
            for (uint32_t at = 0; at < segment.size(); ++at)
                if (trace.string(segment.slices.category[at]) == kGapCategory)
                    found.push_back({{segment.slices.start[at], segment.end(at)}, segment.idAt(at), LaneId(number)});
        }
    }
    std::ranges::stable_sort(gaps, {}, [](const Gap &gap) { return gap.span.begin; });
    for (const Gap &gap : gaps)
        spans.push_back(gap.span);
    times = IntervalSet::unionOf(std::move(spans));
}

std::string notRecordedNote(const Scope &scope)
{
    const RecordingGaps &gaps = scope.facts().gaps();
    const Trace &trace = scope.facts().trace();
    const auto lengths = [&](const std::vector<RecordingGaps::Gap> &of, auto nameOf) {
        std::map<std::string, BigVector<TimeSpan>> byName;
        for (const RecordingGaps::Gap &gap : of)
            byName[nameOf(gap)].push_back(gap.span);
        std::string list;
        for (auto &[name, spans] : byName)
            if (const Ns part = (IntervalSet::unionOf(std::move(spans)) & scope.wholeWindow()).length(); part > 0)
                list += (list.empty() ? "" : "; ") + name + ": " + formatDuration(part);
        return list;
    };
    std::string note;
    if (const Ns missing = (scope.wholeWindow() & gaps.times).length(); missing > 0)
        note = "Device work was not recorded for " + formatDuration(missing) + " (" +
               lengths(gaps.gaps,
                       [&](const auto &gap) { return std::string(trace.string(trace.slice(gap.slice)->data.name)); }) +
               "). This time is neither busy nor idle and is left out of the devices' shares.";
    const std::string others = lengths(gaps.onHost, [&](const auto &gap) {
        return trace.laneName(gap.lane) + " (" + std::string(trace.string(trace.slice(gap.slice)->data.name)) + ")";
    });
    if (!others.empty())
        note += (note.empty() ? "" : " ") + std::string("Not recorded on the host: ") + others + ".";
    return note;
}

} // namespace riffle
