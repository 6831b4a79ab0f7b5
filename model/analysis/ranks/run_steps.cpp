// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/run_steps.h"

#include "model/analysis/idle/idle_gaps.h"
#include "model/analysis/ranks/rank_facts_of.h"
#include "model/analysis/summary/figures.h"
#include "model/analysis/summary/summary_layout.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/trace/table_rows.h"

#include <algorithm>
#include <map>
#include <set>

namespace riffle {

namespace {

/// The steps and rows of a table with certain flags.
struct Flagged {
    std::set<Ns> unfinished, cut, byRecorder;
    std::set<Ns> withoutDevices;
    bool farLonger = false, unmarked = false, partOfDevices = false, haveDevices = false;
    Ns missing = 0; ///< on the device where it is longest
};

Flagged flaggedOf(std::span<const StepFigures> rows)
{
    Flagged found;
    std::map<int32_t, Ns> missing;
    for (const StepFigures &row : rows) {
        if (row.flags & step_flag::Unfinished)
            found.unfinished.insert(row.start);
        if (row.flags & step_flag::Cut)
            found.cut.insert(row.start);
        if (row.flags & step_flag::ByRecorder)
            found.byRecorder.insert(row.start);
        found.farLonger |= (row.flags & step_flag::FarLonger) != 0;
        found.unmarked |= (row.flags & step_flag::Unmarked) != 0;
        found.partOfDevices |= (row.flags & step_flag::PartOfDevices) != 0;
        if (row.device == kNoInt32)
            found.withoutDevices.insert(row.start);
        else
            found.haveDevices = true;
        if (row.missing != kNoInt)
            missing[row.device] = saturatedSum(missing[row.device], row.missing);
    }
    for (const auto &[device, time] : missing)
        found.missing = std::max(found.missing, time);
    return found;
}

/// "1 step is …" or "3 steps are …".
std::string stepsAre(size_t steps, const std::string &what)
{
    return formatCount(static_cast<int64_t>(steps)) + (steps == 1 ? " step is " : " steps are ") + what;
}

void addNotes(const RankFacts &facts, const Flagged &flagged, ResultTable &table)
{
    std::vector<std::string> &notes = table.notes;
    if (flagged.unmarked)
        notes.push_back("No steps are marked, so everything counts as one step. Call prof.step() after each iteration, "
                        "or name the slices that are steps.");
    if (!flagged.byRecorder.empty())
        notes.push_back(stepsAre(flagged.byRecorder.size(),
                                 "known by the recorder's figures alone, because the log has no or not all details of "
                                 "them any more. It does not know the causes of idle times, nor which step launched "
                                 "what."));
    if (!flagged.cut.empty())
        notes.push_back(stepsAre(flagged.cut.size(), "cut by the range; the time outside it is left out."));
    if (!flagged.unfinished.empty())
        notes.push_back(unfinishedStepsNote(flagged.unfinished.size()));
    if (flagged.missing > 0)
        notes.push_back("Device work was not recorded for " + formatDuration(flagged.missing) +
                        ". This time is neither busy nor idle.");
    if (flagged.partOfDevices)
        notes.push_back("Only the devices with the most work are shown, because there are too many.");
    if (!flagged.haveDevices && !flagged.withoutDevices.empty())
        notes.push_back("No device work was recorded, so the figures of devices are not known.");
    else if (!flagged.withoutDevices.empty())
        notes.push_back(stepsAre(flagged.withoutDevices.size(), "without recorded device work."));
    if (facts.overlappingSteps)
        notes.push_back(formatCount(static_cast<int64_t>(facts.overlappingSteps)) +
                        " marks were left out because they overlap earlier ones.");
    if (flagged.farLonger)
        notes.push_back("The first step took more than twice as long as the median of the others.");
}

/// a − b; kNoInt if one of them is not known.
int64_t minus(int64_t a, int64_t b) { return a == kNoInt || b == kNoInt ? kNoInt : a - b; }

int64_t ownWork(const StepFigures &row) { return minus(minus(row.duration, row.exposed), row.missing); }

} // namespace

ResultTable stepsOfRank(const RankFacts &facts, TraceId trace)
{
    std::vector<StepFigures> rows;
    ResultTable table;
    for (size_t at = 0; at < facts.steps.start.size(); ++at) {
        throwIfStoppedAt(at);
        rows.push_back(rowAt(facts.steps, at));
        table.evidence.push_back({trace, SliceId(rows.back().mark)});
    }
    const Flagged flagged = flaggedOf(rows);
    const auto figure = [](auto field) { return [field](const StepFigures &row) { return row.*field; }; };
    const auto device = [](const StepFigures &row) { return row.device == kNoInt32 ? kNoInt : int64_t(row.device); };
    TableBuilder<StepFigures> build(table, rows);
    build
        .id("rank", "Rank", "The rank that the trace recorded.",
            [&](const StepFigures &) { return facts.rank.value_or(kNoInt); })
        .hidden = true;
    build.id("step", "Step", "The number in the name of the step's mark.", figure(&StepFigures::number));
    build.id("device", "Device", "The profiler's number of the device.", device);
    build.integer("start_ns", "Start", CellKind::Moment, "Start of the step's mark.", figure(&StepFigures::start))
        .hidden = true;
    build
        .time("duration_ns", "Length", "Duration of the step's mark. All other times are parts of it.",
              figure(&StepFigures::duration))
        .barred = true;
    build.time("busy_ns", "Busy", "Time in which any kernel, copy or memset ran on the device.",
               figure(&StepFigures::busy));
    build
        .time("kernel_ns", "Kernels", "Time in which any kernel ran on the device, those of communication included.",
              figure(&StepFigures::kernelTime))
        .hidden = true;
    build.time("communication_ns", "Communication",
               "Time in which any kernel of a collective or a transfer between ranks ran on the device, waiting for "
               "other ranks included. Without device work, the collectives that the host carries out (gloo, MPI).",
               figure(&StepFigures::communication));
    build.time("exposed_communication_ns", "Exposed", "Communication during which no other kernel ran on the device.",
               figure(&StepFigures::exposed));
    build.time("host_wait_ns", "Wait",
               "Time in which the step's thread was in calls that return when the device is done.",
               figure(&StepFigures::hostWait));
    build.time("idle_ns", "Idle", "Time in which nothing ran on the device, although it was recorded.",
               figure(&StepFigures::idle));
    for (size_t cause = 0; cause < kIdleCauses; ++cause) {
        const IdleCauseText &text = textOf(static_cast<IdleCause>(cause));
        build
            .time(std::string("idle_") + text.key + "_ns", std::string("Idle: ") + text.title,
                  std::string("The part of the idle time with this cause. ") + text.meaning,
                  [cause](const StepFigures &row) { return row.idleByCause[cause]; })
            .hidden = true;
    }
    build
        .time("not_recorded_ns", "Not recorded", "Time in which device work was not recorded.",
              figure(&StepFigures::missing))
        .hidden = flagged.missing == 0;
    build.time(
        "own_work_ns", "Own work, at least",
        "Length less exposed communication and less the time that was not recorded. Waiting for other ranks is in "
        "the exposed communication, so a rank that others wait for has more own work than they.",
        ownWork);
    build.integer("memory_peak_bytes", "Memory peak", CellKind::Bytes,
                  "The most bytes in use on the device in the step, of the allocations that were recorded.",
                  figure(&StepFigures::memoryPeak));
    build
        .integer("device_start_ns", "Device start", CellKind::Moment,
                 "First start of the work on this device that the step launched.", figure(&StepFigures::deviceStart))
        .hidden = true;
    build
        .integer("device_end_ns", "Device end", CellKind::Moment,
                 "Last end of the work on this device that the step launched.", figure(&StepFigures::deviceEnd))
        .hidden = true;
    build
        .time("device_span_ns", "Device span",
              "From the first start to the last end of the work on this device that the step launched.",
              [](const StepFigures &row) { return minus(row.deviceEnd, row.deviceStart); })
        .hidden = true;
    const auto flag = [](uint8_t bit) {
        return [bit](const StepFigures &row) { return int64_t{(row.flags & bit) != 0}; };
    };
    build
        .count("cut", "Cut", "1 if only a part of the step is inside the range. The figures are about that part.",
               flag(step_flag::Cut))
        .hidden = flagged.cut.empty();
    build.count("unfinished", "Unfinished", "1 if the mark has no end.", flag(step_flag::Unfinished)).hidden =
        flagged.unfinished.empty();
    build
        .count("by_recorder", "By the recorder", "1 if the figures are the recorder's, because the details are gone.",
               flag(step_flag::ByRecorder))
        .hidden = flagged.byRecorder.empty();
    if (rows.empty())
        table.absence = "No step has time in the selection.";
    addNotes(facts, flagged, table);
    return table;
}

ResultTable runStepTable(const Scope &scope, std::string_view)
{
    return stepsOfRank(rankFactsOf(scope), scope.trace());
}

ResultTable stepsOfRun(std::span<const KnownRank> ranks)
{
    std::vector<std::shared_ptr<const Trace>> standIns;
    for (const KnownRank &rank : ranks)
        standIns.push_back(std::make_shared<const Trace>(traceWithoutContents(*rank.facts, rank.path)));
    const TraceSet set = TraceSet::of(std::move(standIns));
    std::vector<LabelledTable> tables;
    for (const LoadedTrace &member : set.loaded()) {
        tables.push_back({set.title(member.id), stepsOfRank(*ranks[tables.size()].facts, member.id)});
        inSetTime(tables.back().table, set, member.id);
        tables.back().table.evidence.clear();
    }
    if (tables.empty())
        return {};
    ResultTable table = tables.size() == 1 ? std::move(tables.front().table) : laidOut(std::move(tables), {});
    table.view = "run-steps";
    table.title = "Ranks and steps";
    return table;
}

} // namespace riffle
