// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/changing_set/questions.h"

#include "model/analysis/critical_path/critical_path_bands.h"
#include "model/analysis/idle/idle_bands.h"
#include "model/analysis/search/search.h"
#include "model/analysis/summary/area_summary.h"
#include "model/analysis/table/table_text.h"
#include "model/query/query_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace riffle::test {

namespace {

const Error kStopped{"The question was stopped.", {}, {}, ErrorKind::Cancelled};

/// The bands of all members, row by row.
Result<ResultTable> bandTable(const SetFacts &facts, const SetBands &bands, const Task &task)
{
    if (bands.empty() && task.stopped())
        return kStopped;
    ResultTable table;
    for (const char *key : {"track", "name"})
        table.add(key, {}, CellKind::Text);
    for (const char *key : {"slice", "start", "duration"})
        table.add(key, {}, CellKind::Count);
    for (const LoadedTrace &member : facts.set().loaded())
        for (const auto &track : bands[member.id])
            for (uint32_t band = 0; band < track->bands->size(); ++band) {
                table.columns[0].texts.push_back(track->title);
                table.columns[1].texts.push_back(track->nameOf(band));
                table.columns[2].integers.push_back(track->slices[band].value);
                table.columns[3].integers.push_back(track->bands->slices.start[band]);
                table.columns[4].integers.push_back(track->bands->slices.duration[band]);
            }
    return table;
}

Question bandQuestion(bool isIdle, TraceId member)
{
    if (isIdle)
        return {"idle bands", [member](const SetFacts &facts, const Task &task) {
                    return bandTable(facts, idleBands(facts, std::array{member}, task.stop), task);
                }};
    return {"critical path bands", [member](const SetFacts &facts, const Task &task) {
                SummaryRequest request;
                request.traces = {member};
                return bandTable(facts, criticalPathBands(facts, request, task.stop), task);
            }};
}

Question summaryQuestion(SummaryRequest request)
{
    std::string name = request.view + " by " + request.groupBy;
    return {std::move(name), [request = std::move(request)](const SetFacts &facts, const Task &task) {
                return summarize(facts, request, task);
            }};
}

Question sqlQuestion(std::string sql)
{
    std::string name = sql;
    return {std::move(name), [sql = std::move(sql)](const SetFacts &facts, const Task &task) {
                QueryEngine engine(facts);
                return engine.run(sql, {}, task);
            }};
}

/// SQL about the member with the number that follows.
constexpr std::array kMemberSql{
    "select name, count(*), sum(dur), min(dur), max(dur) from slices where trace = {} group by name order by name",
    "select name, dur, stream from kernels where trace = {} order by dur desc, ts limit 20",
};

struct Grouped {
    const SummaryView *view;
    const char *grouping;
};

const std::vector<Grouped> &groupings()
{
    static const std::vector<Grouped> all = [] {
        std::vector<Grouped> made;
        for (const SummaryView &view : summaryViews()) {
            for (const char *grouping : view.groupings)
                made.push_back({&view, grouping});
            if (view.groupings.empty())
                made.push_back({&view, ""});
        }
        return made;
    }();
    return all;
}

} // namespace

size_t memberQuestionCount() { return groupings().size() + 2 + kMemberSql.size(); }

Question memberQuestion(size_t number, TraceId member)
{
    const auto &grouped = groupings();
    if (number < grouped.size()) {
        SummaryRequest request;
        request.view = grouped[number].view->word;
        request.groupBy = grouped[number].grouping;
        request.traces = {member};
        return summaryQuestion(std::move(request));
    }
    number -= grouped.size();
    if (number < 2)
        return bandQuestion(number == 0, member);
    return sqlQuestion(fmt::format(fmt::runtime(kMemberSql[number - 2]), member.value));
}

namespace {

size_t below(std::mt19937_64 &random, size_t count) { return random() % count; }

TraceId anyMember(const TraceSet &set, std::mt19937_64 &random)
{
    return set.empty() ? TraceId(0) : set.loaded()[below(random, set.size())].id;
}

TimeSpan anyRange(const TraceSet &set, std::mt19937_64 &random)
{
    const TimeSpan span = set.span();
    const auto length = static_cast<uint64_t>(std::max<Ns>(1, span.duration()));
    const Ns a = span.begin + static_cast<Ns>(random() % length), b = span.begin + static_cast<Ns>(random() % length);
    return {std::min(a, b), std::max(a, b)};
}

std::vector<LaneRef> anyLanes(const TraceSet &set, std::mt19937_64 &random)
{
    std::vector<LaneRef> lanes;
    for (const LoadedTrace &member : set.loaded())
        for (uint32_t lane = 0; lane < member.trace->lanes.size(); ++lane)
            if (below(random, 3) == 0)
                lanes.push_back({member.id, LaneId(lane)});
    return lanes;
}

Question anySummary(const TraceSet &set, std::mt19937_64 &random)
{
    const Grouped &grouped = groupings()[below(random, groupings().size())];
    SummaryRequest request;
    request.view = grouped.view->word;
    request.groupBy = grouped.grouping;
    request.layout = static_cast<RankLayout>(below(random, 3));
    switch (below(random, 8)) {
    case 0: request.scope.range = anyRange(set, random); break;
    case 1: request.scope.withoutFirstStep = true; break;
    case 2: request.lanes = anyLanes(set, random); break;
    case 3: request.names = substringMatcher("mm", false); break;
    case 4: request.traces = {anyMember(set, random), anyMember(set, random)}; break;
    case 5:
        request.parts = {{"A", anyMember(set, random), anyRange(set, random), std::nullopt},
                         {"B", anyMember(set, random), std::nullopt, TimeSpan{0, 0}},
                         {"C", anyMember(set, random), std::nullopt, std::nullopt}};
        break;
    case 6: request.scope.classes = bitOf(WorkClass::Communication) | bitOf(WorkClass::Forward); break;
    default: break;
    }
    const bool hasParts = !request.parts.empty();
    Question question = summaryQuestion(std::move(request));
    question.name += hasParts ? ", of parts" : ", of the set";
    return question;
}

Question anySearch(std::mt19937_64 &random)
{
    SearchQuery query;
    query.mode = static_cast<SearchQuery::Mode>(below(random, 3));
    query.text = query.mode == SearchQuery::Mode::Category ? "kernel" : "gemm";
    query.arguments = query.mode != SearchQuery::Mode::Category && below(random, 4) == 0;
    return {query.arguments ? "search in arguments" : "search",
            [query](const SetFacts &facts, const Task &task) -> Result<ResultTable> {
                const auto hits = search(facts.set(), query, task);
                if (!hits)
                    return hits.error();
                ResultTable table;
                ResultColumn &slices = table.add("slice", {}, CellKind::Count);
                SliceRef at;
                for (uint64_t hit = 0; hit < std::min<uint64_t>(hits->count(), 100); ++hit) {
                    at = hits->next(at);
                    slices.integers.push_back(at.slice.value);
                    table.evidence.push_back(at);
                }
                table.title = std::to_string(hits->count());
                return table;
            }};
}

Question anyArea(const TraceSet &set, std::mt19937_64 &random)
{
    const TimeSpan span = anyRange(set, random);
    const auto lanes = below(random, 2) ? anyLanes(set, random) : std::vector<LaneRef>();
    return {"area", [span, lanes](const SetFacts &facts, const Task &task) -> Result<ResultTable> {
                const AreaSummary summary = summarizeArea(facts.set(), span, lanes, task);
                return summary.complete ? Result(areaTable(summary)) : Result<ResultTable>(kStopped);
            }};
}

constexpr std::array kSetSql{
    "select trace, count(*), sum(dur), min(ts), max(ts) from slices group by trace order by trace",
    "select * from slices_by_name order by trace, name",
    "select * from summary_operators",
    "select * from summary_findings",
    "select * from steps",
    "select * from collectives",
    "select trace, lane, sum(dur) from slices group by trace, lane order by trace, lane",
};

} // namespace

Question setQuestion(const TraceSet &set, std::mt19937_64 &random)
{
    switch (below(random, 8)) {
    case 0: return anySearch(random);
    case 1: return anyArea(set, random);
    case 2: return sqlQuestion(kSetSql[below(random, kSetSql.size())]);
    default: return anySummary(set, random);
    }
}

namespace {

std::string headOf(const ResultTable &table)
{
    std::string text = table.view + '\n' + table.title + '\n' + table.absence + '\n';
    for (const std::string &note : table.notes)
        text += note + '\n';
    return text;
}

} // namespace

std::string textOf(const Result<ResultTable> &answer)
{
    if (!answer)
        return answer.error().text();
    std::string text = headOf(*answer) + std::to_string(answer->origin) + '\n' + tableCsv(*answer, allRows(*answer));
    for (const SliceRef &slice : answer->evidence)
        text += fmt::format("{}/{}\n", slice.trace.value, slice.slice.value);
    return text;
}

std::string textOfMember(const Result<ResultTable> &answer, const TimeMap &time)
{
    if (!answer)
        return answer.error().text();
    ResultTable table = *answer;
    for (ResultColumn &column : table.columns)
        if (column.kind == CellKind::Moment)
            for (int64_t &moment : column.integers)
                if (moment != kNoInt)
                    moment = time.toSet(moment);
    std::string text = tableCsv(table, allRows(table));
    if (table.rows() > 0) // otherwise it says what there is in other members
        text += headOf(table);
    for (const SliceRef &slice : table.evidence)
        text += std::to_string(slice.slice.value) + '\n';
    return text;
}

std::string answerDifference(const std::string &answer, const std::string &expected)
{
    const auto differs = std::ranges::mismatch(answer, expected);
    if (differs.in1 == answer.end() && differs.in2 == expected.end())
        return {};
    const auto at = static_cast<size_t>(differs.in1 - answer.begin());
    const size_t line = at == 0 ? 0 : answer.rfind('\n', at - 1) + 1;
    return fmt::format("\"{}\" instead of \"{}\", under \"{}\"", answer.substr(line, answer.find('\n', at) - line),
                       expected.substr(line, expected.find('\n', at) - line), answer.substr(0, 300));
}

} // namespace riffle::test
