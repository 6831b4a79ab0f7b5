// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/critical_path/critical_path.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/big_vector.h"
#include "model/base/format.h"

#include <algorithm>

namespace riffle {

namespace {

constexpr size_t kMostPaths = 20; ///< the maximum number of steps whose paths are shown

struct PathRow {
    int64_t step = kNoInt;
    PathKind kind = PathKind::Cpu;
    TimeSpan span; ///< of the segment, or of the longest one
    SliceRef slice;
    Ns time = 0;
    Ns path = 0; ///< length of the path
    int64_t segments = 1;
};

struct Path {
    int64_t step;
    CriticalPath path;
};

/// Indices of the steps to show: the chosen ones, otherwise the longest one after the first (or the only one) of those
/// that ended.
std::vector<uint32_t> wantedSteps(const Scope &scope, std::vector<std::string> &notes)
{
    const std::vector<StepSet::Step> &steps = scope.steps().steps;
    std::vector<uint32_t> chosen;
    for (uint32_t at = 0; at < steps.size(); ++at)
        if (scope.hasStep(at))
            chosen.push_back(at);
    if (!scope.choosesSteps() && scope.steps().unfinished() < steps.size())
        std::erase_if(chosen, [&](uint32_t at) { return !steps[at].ended; });
    if (!scope.choosesSteps() && chosen.size() > 1) {
        if (chosen.front() == 0)
            chosen.erase(chosen.begin());
        const uint32_t longest = *std::max_element(chosen.begin(), chosen.end(), [&](uint32_t a, uint32_t b) {
            return steps[a].host.duration() < steps[b].host.duration();
        });
        notes.push_back("This is the path of step " + std::to_string(steps[longest].number) +
                        ", the longest after the first. Choose other steps to see their paths.");
        return {longest};
    }
    if (chosen.size() > kMostPaths) {
        notes.push_back("These are the paths of the first " + std::to_string(kMostPaths) + " of " +
                        std::to_string(chosen.size()) + " steps.");
        chosen.resize(kMostPaths);
    }
    return chosen;
}

std::vector<Path> pathsOf(const Scope &scope, std::vector<std::string> &notes)
{
    std::vector<Path> paths;
    if (scope.range()) {
        if (!scope.window().empty())
            paths.push_back({kNoInt, criticalPathOf(scope, {scope.window().intervals().front().begin,
                                                            scope.window().intervals().back().end})});
        return paths;
    }
    for (const uint32_t step : wantedSteps(scope, notes))
        paths.push_back(
            {scope.steps().marked ? scope.steps().steps[step].number : kNoInt, criticalPathOfStep(scope, step)});
    return paths;
}

std::vector<PathRow> boundRows(const Path &path)
{
    std::array<PathRow, kPathKinds> ofKind;
    for (size_t kind = 0; kind < kPathKinds; ++kind)
        ofKind[kind] = {
            path.step, static_cast<PathKind>(kind), {}, {}, path.path.sums[kind], path.path.window.duration(), 0};
    for (const PathSegment &segment : path.path.segments) {
        PathRow &row = ofKind[static_cast<size_t>(segment.kind)];
        ++row.segments;
        if (segment.span.duration() > row.span.duration()) {
            row.span = segment.span;
            row.slice = segment.slice;
        }
    }
    std::vector<PathRow> rows;
    for (const PathRow &row : ofKind)
        if (row.segments)
            rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(), [](const PathRow &a, const PathRow &b) { return a.time > b.time; });
    return rows;
}

} // namespace

ResultTable criticalPathTable(const Scope &scope, std::string_view groupBy)
{
    ResultTable table;
    const bool isDetailed = groupBy == "segments";
    const Trace &trace = scope.facts().trace();
    BigVector<PathRow> rows;
    BigVector<std::pair<uint32_t, uint32_t>> slices;
    uint64_t inferred = 0;
    for (const Path &path : pathsOf(scope, table.notes)) {
        const size_t first = rows.size();
        inferred += path.path.inferred;
        if (isDetailed)
            for (const PathSegment &segment : path.path.segments)
                rows.push_back({path.step, segment.kind, segment.span, segment.slice, segment.span.duration(),
                                path.path.window.duration(), 1});
        else
            for (const PathRow &row : boundRows(path))
                rows.push_back(row);
        std::array<uint32_t, kPathKinds> rowOfKind{};
        for (size_t at = first; at < rows.size(); ++at)
            rowOfKind[static_cast<size_t>(rows[at].kind)] = static_cast<uint32_t>(at);
        slices.reserve(slices.size() + path.path.segments.size());
        for (size_t at = 0; at < path.path.segments.size(); ++at)
            if (const PathSegment &segment = path.path.segments[at]; segment.slice.valid())
                slices.emplace_back(segment.slice.slice.value, isDetailed
                                                                   ? static_cast<uint32_t>(first + at)
                                                                   : rowOfKind[static_cast<size_t>(segment.kind)]);
    }
    SliceReader reader(trace);
    const auto nameOf = [&](const PathRow &row) {
        return row.slice.valid() && reader.seek(row.slice.slice.value) ? std::string(trace.string(reader.name()))
                                                                       : std::string();
    };
    const auto laneOf = [&](const PathRow &row) {
        return row.slice.valid() && reader.seek(row.slice.slice.value) ? trace.laneName(reader.lane()) : std::string();
    };
    TableBuilder<PathRow> build(table, rows);
    build.id("step", "Step", "Number of the step.", [](const PathRow &row) { return row.step; });
    build.text("bound_by", "Bound by",
               "What the time went to. The path's segments have no gaps, so the rows sum to the path.",
               [](const PathRow &row) { return textOf(row.kind).key; });
    build.time("time_ns", "Time", "Summed length of the path's segments.", [](const PathRow &row) { return row.time; })
        .summed = true;
    build
        .share("share", "Share",
               "Time / length of the path, from the step's start to its end or to the end of its last device work.",
               [](const PathRow &row) { return ratio(row.time, row.path); })
        .barred = true;
    build
        .count("segments", "Segments", "Number of segments of the path.",
               [](const PathRow &row) { return row.segments; })
        .hidden = isDetailed;
    build.text("name", isDetailed ? "Name" : "Longest", "The slice that took the time, or waited.", nameOf);
    build.text("lane", "Lane", "The lane of the slice.", laneOf);
    build.integer("start_ns", "Start", CellKind::Moment, "Start of the (longest) segment.",
                  [](const PathRow &row) { return row.span.begin; });
    build.time("duration_ns", "Duration", "Duration of the (longest) segment.",
               [](const PathRow &row) { return row.span.duration(); });
    build.text("meaning", "Meaning", "", [](const PathRow &row) { return textOf(row.kind).meaning; }).hidden = true;
    for (const PathRow &row : rows)
        table.evidence.push_back(row.slice);
    table.slices = RowSlices::ofTrace(scope.trace(), std::move(slices));
    if (inferred)
        table.notes.push_back(formatCounted(static_cast<int64_t>(inferred), "wait for another stream was",
                                            "waits for other streams were") +
                              " not recorded but inferred: other work ended at most 20 µs before.");
    if (rows.empty())
        table.absence = "Nothing was recorded in the chosen time.";
    return table;
}

} // namespace riffle
