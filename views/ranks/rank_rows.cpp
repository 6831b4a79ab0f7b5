// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/ranks/rank_rows.h"

#include <utility>

namespace riffle {

std::vector<RankRow> rankRows(const Session &session)
{
    const TraceSet &traces = session.traces();
    const OpenRun &open = *session.run();
    std::vector<RankRow> rows;
    const auto add = [&](TraceId id, uint32_t cell) {
        if (const TraceMember *member = traces.member(id); member && member->state != MemberState::Failed)
            rows.push_back({id, traces.title(id), member->facts, cell});
    };
    if (session.shownRun() >= open.layout.runs.size()) {
        for (const TraceMember &member : traces.members())
            add(member.id, RankRow::kUnplaced);
        return rows;
    }
    const Run &run = open.layout.runs[session.shownRun()];
    for (uint32_t cell = 0; cell < run.cells.size(); ++cell)
        for (const RunFileKind kind : {RunFileKind::Trace, RunFileKind::Log})
            for (const FileRef file : run.cells[cell].of(kind))
                add(open.memberOf(file), cell);
    for (const FileRef file : run.unplaced)
        add(open.memberOf(file), RankRow::kUnplaced);
    return rows;
}

StepGrid stepGridOf(const std::vector<RankRow> &rows)
{
    std::vector<std::shared_ptr<const RankFacts>> facts;
    facts.reserve(rows.size());
    for (const RankRow &row : rows)
        facts.push_back(row.facts);
    return StepGrid(std::move(facts));
}

} // namespace riffle
