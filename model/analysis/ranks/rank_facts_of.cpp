// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/rank_facts_of.h"

#include "model/analysis/facts/device_properties.h"
#include "model/analysis/facts/recorder.h"
#include "model/analysis/ranks/recorded_steps.h"
#include "model/analysis/ranks/step_rows.h"
#include "model/analysis/ranks/top_level_text.h"
#include "model/base/decimal.h"
#include "model/trace/json_entries.h"

namespace riffle {

namespace {

std::optional<Severity> worstOf(const ImportReport &report)
{
    for (const Severity severity : {Severity::Lost, Severity::Repaired, Severity::Note})
        if (report.total(severity) > 0)
            return severity;
    return std::nullopt;
}

/// The host and the pid of a log's process.
void addProcess(const TraceInfo &info, RankFacts &rank)
{
    for (const JsonEntry &entry : entriesOf(topLevelText(info, "process"))) {
        if (entry.key == "host")
            rank.host = plainText(entry.value);
        else if (entry.key == "pid")
            rank.pid = decimalToInteger(plainText(entry.value), 0);
    }
}

} // namespace

RankFacts rankFactsOf(const TraceFacts &facts) { return rankFactsOf(Scope(facts, {})); }

RankFacts rankFactsOf(const Scope &scope)
{
    const Trace &trace = scope.facts().trace();
    const TraceInfo &info = trace.info;
    RankFacts rank;
    rank.format = info.format;
    rank.rank = info.rank;
    rank.worldSize = info.worldSize;
    addProcess(info, rank);
    rank.baseTimeNs = info.baseTimeNs;
    rank.clocks = info.clocks;
    rank.span = trace.span;
    rank.asked = trace.askedSpan();
    rank.recorded = trace.recordedSpan();
    rank.slices = trace.sliceCount();
    rank.bytes = info.fileBytes;
    for (const DeviceProperties &device : devicesOf(info))
        if (device.id)
            rank.devices.push_back({*device.id, device.name, device.memoryBytes});
    rank.worst = worstOf(trace.report);
    rank.ofTraining = isOfTraining(scope.facts());
    rank.overlappingSteps = scope.steps().overlapping;
    std::vector<StepFigures> rows = stepRows(scope);
    const bool isLimited =
        scope.range() || scope.choosesSteps() || !scope.request().stepMark.empty() || scope.request().withoutFirstStep;
    if (!isLimited)
        rows = withRecordedSteps(std::move(rows), recordedSteps(info));
    rank.steps = stepFigureTable(rows);
    return rank;
}

} // namespace riffle
