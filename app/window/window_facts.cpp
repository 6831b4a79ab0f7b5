// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/window_facts.h"

#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/memory/snapshot_facts.h"
#include "model/base/stopping.h"
#include "model/trace/details.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/session.h"

#include <algorithm>

namespace riffle {

namespace {

bool hasFailed(const MemorySnapshot &snapshot)
{
    const std::span<const MemoryAction> actions = snapshot.events.action.span();
    return std::ranges::find(actions, MemoryAction::OutOfMemory) != actions.end();
}

/// True if something was found of more than one rank.
bool hasRanks(const OpenRun &open)
{
    size_t found = 0;
    for (const Run &run : open.layout.runs)
        found += static_cast<size_t>(
            std::ranges::count_if(run.cells, [](const RunCell &cell) { return !cell.isMissing(); }));
    return found > 1;
}

} // namespace

WindowFacts quickFacts(const Session &session)
{
    WindowFacts facts;
    facts.traces = !session.traces().empty();
    facts.snapshots = !session.memory()->empty();
    facts.area = session.area().has_value();
    facts.ranks = facts.traces && (session.traces().members().size() > 1 || hasRanks(*session.run()));
    for (const LoadedTrace &member : session.traces().loaded()) {
        const Trace &trace = *member.trace;
        facts.devices |= hasDetails(trace, &Segment::device);
        facts.training |= hasDetails(trace, &Segment::device) || hasDetails(trace, &Segment::operators) ||
                          hasDetails(trace, &Segment::python) || !trace.steps.empty();
    }
    return facts;
}

std::function<WindowFacts(std::stop_token)> completion(const WindowFacts &quick, const Session &session)
{
    return [facts = quick, set = session.facts(),
            snapshots = session.memory()->snapshots()](std::stop_token stop) mutable {
        untilStopped(stop, [&] {
            if (facts.traces && !facts.training)
                facts.training = trainingFactsOf(*set, {}).ofTraining;
            facts.failed = std::ranges::any_of(snapshots, [](const auto &one) { return hasFailed(one->snapshot()); });
            return true;
        });
        return facts;
    };
}

} // namespace riffle
