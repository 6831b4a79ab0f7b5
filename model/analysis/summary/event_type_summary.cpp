// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/event_types.h"
#include "model/analysis/summary/stages.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/table_builder.h"

#include <algorithm>
#include <array>
#include <utility>

namespace riffle {

namespace {

struct EventTypeRow {
    std::string name;
    const char *side;
    uint64_t calls;
    Ns time;
    uint32_t depth;
    Ns covered = time; ///< time with at least one of the calls
};

void addStages(const Scope &scope, const IntervalSet &steps, std::vector<EventTypeRow> &rows)
{
    std::array<EventTypeRow, kStages> found{};
    std::array<BigVector<TimeSpan>, kStages> spans;
    for (const Stages::Call &call : Stages(scope).calls) {
        const auto stage = static_cast<size_t>(call.stage);
        ++found[stage].calls;
        found[stage].time += scope.clipped(call.span);
        spans[stage].push_back(call.span);
    }
    for (size_t stage = 0; stage < kStages; ++stage)
        if (found[stage].calls) {
            const Ns covered = (IntervalSet::unionOf(std::move(spans[stage])) & steps).length();
            rows.push_back({kStageNames[stage], "host", found[stage].calls, found[stage].time, 1, covered});
        }
}

} // namespace

ResultTable eventTypeTable(const Scope &asked, std::string_view)
{
    const Scope scope = withinSteps(asked);
    const IntervalSet steps = stepTimes(scope);
    std::vector<EventTypeRow> rows;
    for (const EventType &type : hostEventTypes(scope))
        rows.push_back({type.name, "host", type.calls, type.times.length(), 1});
    addStages(scope, steps, rows);
    if (const EventType communication = hostCommunication(scope); communication.calls)
        rows.push_back({communication.name, "host", communication.calls, communication.times.length(), 1});
    std::stable_sort(rows.begin(), rows.end(),
                     [](const EventTypeRow &a, const EventTypeRow &b) { return a.time > b.time; });
    rows.insert(rows.begin(), {"ProfileStep", "host", scope.chosenSteps(), steps.length(), 0});
    for (const EventType &type : deviceEventTypes(scope))
        rows.push_back({type.name, "device", type.calls, type.times.length(), 1});
    const Ns whole = steps.length();
    ResultTable table;
    TableBuilder<EventTypeRow> build(table, rows);
    build.text("event_type", "Event type", "The kind of event.", [](const EventTypeRow &row) { return row.name; });
    build.text("side", "Side", "Where it happens: on the host or on a device.",
               [](const EventTypeRow &row) { return row.side; });
    build.count("calls", "Calls", "Slices that start inside the steps.",
                [](const EventTypeRow &row) { return row.calls; });
    build
        .time(
            "time_ns", "Time",
            "Time during the steps in which any event of the type happened; simultaneous events on several threads or "
            "streams count once. For the stages of a step, the summed time of their calls.",
            [](const EventTypeRow &row) { return row.time; })
        .barred = true;
    build.share("share", "Share", "Time during which at least one of the calls ran / time of the steps.",
                [whole](const EventTypeRow &row) { return ratio(row.covered, whole); });
    for (const EventTypeRow &row : rows)
        table.depth.push_back(row.depth);
    if (!scope.steps().marked)
        table.notes.push_back("No steps are marked, so the whole trace counts as one step.");
    return table;
}

} // namespace riffle
