// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/ranks/stragglers_view.h"

#include "model/analysis/ranks/first_stragglers.h"
#include "model/base/stopping.h"
#include "views/common/look/limit_badge.h"
#include "views/ranks/rank_rows.h"

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

ResultTable answerOf(const std::vector<RankRow> &rows)
{
    std::vector<TraceId> members;
    std::vector<std::string> titles;
    size_t known = 0;
    for (const RankRow &row : rows) {
        members.push_back(row.member);
        titles.push_back(row.title);
        known += row.facts != nullptr;
    }
    ResultTable table = firstStragglers(stepGridOf(rows), members, titles);
    if (known < rows.size())
        table.notes.push_back("The steps of " + std::to_string(known) + " of " + std::to_string(rows.size()) +
                              " ranks are known so far.");
    return table;
}

ResultView::Work questionOf(const Session &session)
{
    if (session.traces().members().empty())
        return {};
    return [rows = rankRows(session)](const std::stop_token &stop) {
        auto table = untilStopped(stop, [&] { return answerOf(rows); });
        return table ? std::move(*table) : ResultTable();
    };
}

} // namespace

StragglersView::StragglersView(Session *session, QWidget *parent)
    : ResultView(session, Session::Facts | Session::Runs, questionOf, parent)
{
    badge()->setIgnored(narrowed_by::Everything);
    setOfAllRanks();
}

} // namespace riffle
