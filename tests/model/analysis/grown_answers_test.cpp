// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/importer.h"
#include "model/query/query_engine.h"
#include "model/query/query_table.h"
#include "tests/model/changing_set/questions.h"
#include "tests/support/followed_log.h"
#include "tests/support/recorded_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <tuple>

namespace riffle::test {
namespace {

/// A log that was followed in random steps, and the same log read at once.
struct Grown {
    std::shared_ptr<const Trace> followed, atOnce;
    std::map<uint32_t, uint32_t> ids; ///< the id of each slice in `followed`, by that in `atOnce`
};

Grown follow(const LogFolder &whole, const FollowSchedule &schedule)
{
    Grown grown;
    grown.followed = *followedLog(whole, schedule);
    grown.atOnce = *importCollectorLog(whole.path(), {}, {});

    using Key = std::tuple<std::string, Ns, uint64_t>;
    const auto keysOf = [](const Trace &trace) {
        std::map<Key, uint32_t> keys;
        for (const auto &segment : trace.segments)
            for (uint32_t index = 0; index < segment->size(); ++index)
                keys[{trace.processName(trace.lanes[segment->lane.value].process) + trace.laneName(segment->lane),
                      segment->slices.start[index], segment->slices.sourceOffset[index]}] = segment->idAt(index).value;
        return keys;
    };
    const auto mine = keysOf(*grown.followed), theirs = keysOf(*grown.atOnce);
    EXPECT_EQ(mine.size(), theirs.size());
    for (const auto &[key, id] : theirs)
        if (const auto found = mine.find(key); found != mine.end())
            grown.ids[id] = found->second;
    return grown;
}

std::vector<Grown> grownLogs()
{
    std::vector<Grown> all;
    for (const auto &log : logsOfAllKinds(20'000))
        all.push_back(follow(*log, {1, 5}));
    for (uint32_t seed = 1; seed <= 4; ++seed) {
        const LogFolder recorded;
        writeRecordedLog(recorded, seed, seed % 2 ? Calls::AtOnce : Calls::HeldBack);
        all.push_back(follow(recorded, {seed, 12}));
    }
    return all;
}

/// The ids in these columns, and the slices of rows, as the trace that was followed has them.
void moveIds(ResultTable &table, const Grown &grown, const std::vector<std::string> &columns)
{
    const auto moved = [&](uint32_t id) {
        const auto found = grown.ids.find(id);
        return found == grown.ids.end() ? SliceId::kNone : found->second;
    };
    for (const std::string &key : columns)
        if (ResultColumn *column = table.column(key))
            for (int64_t &id : column->integers)
                if (id != kNoInt)
                    id = moved(static_cast<uint32_t>(id));
    for (SliceRef &slice : table.evidence)
        if (slice.valid())
            slice.slice = SliceId(moved(slice.slice.value));
}

/// The lines of an answer; with other ids, rows of equal times may be in another order.
std::string rowsOf(const Result<ResultTable> &answer)
{
    std::vector<std::string> lines;
    std::istringstream in(textOf(answer));
    for (std::string line; std::getline(in, line);)
        lines.push_back(line + '\n');
    std::ranges::sort(lines);
    return std::accumulate(lines.begin(), lines.end(), std::string());
}

TEST(GrownAnswers, EveryViewHasTheAnswerOfALogReadAtOnce)
{
    for (const Grown &grown : grownLogs()) {
        const SetFacts expectedFacts(TraceSet::of({grown.atOnce})), facts(TraceSet::of({grown.followed}));
        for (size_t number = 0; number < memberQuestionCount(); ++number) {
            const Question question = memberQuestion(number, TraceId(0));
            Result<ResultTable> expected = question.ask(expectedFacts, {});
            if (expected)
                moveIds(*expected, grown, {"slice", "slice_id"});
            EXPECT_EQ(answerDifference(rowsOf(question.ask(facts, {})), rowsOf(expected)), "")
                << question.name << " of " << grown.atOnce->info.path;
        }
    }
}

TEST(GrownAnswers, EverySliceHasTheClassOfALogReadAtOnce)
{
    for (const Grown &grown : grownLogs()) {
        const SetFacts expectedFacts(TraceSet::of({grown.atOnce})), facts(TraceSet::of({grown.followed}));
        const auto expected = expectedFacts.of(TraceId(0)).workClasses(), found = facts.of(TraceId(0)).workClasses();
        EXPECT_EQ(found->present, expected->present);
        for (const auto &[id, moved] : grown.ids)
            ASSERT_EQ(found->of(moved), expected->of(id)) << "slice " << id << " of " << grown.atOnce->info.path;
    }
}

TEST(GrownAnswers, EveryTableOfSqlHasTheRowsOfALogReadAtOnce)
{
    for (const Grown &grown : grownLogs()) {
        QueryEngine atOnce(SetFacts(TraceSet::of({grown.atOnce}))), engine(SetFacts(TraceSet::of({grown.followed})));
        for (const QueryTable &table : queryTables()) {
            std::vector<std::string> ids;
            std::string columns;
            for (const QueryColumn &column : table.columns) {
                const std::string name = column.name;
                if (column.type == std::string_view(kSliceIdType))
                    ids.push_back(name);
                else if (name == "id" || name.ends_with("lane_id") || name == "process_id")
                    continue; // lanes, processes and rows have numbers in the order of their arrival
                columns += (columns.empty() ? "" : ", ") + ("\"" + name + "\"");
            }
            const std::string sql = "select " + columns + " from " + table.name;
            Result<ResultTable> expected = atOnce.run(sql, {}, {});
            ASSERT_TRUE(expected) << sql << ": " << expected.error().text();
            moveIds(*expected, grown, ids);
            EXPECT_EQ(answerDifference(rowsOf(engine.run(sql, {}, {})), rowsOf(expected)), "")
                << sql << " of " << grown.atOnce->info.path;
        }
    }
}

/// Slices that have not settled are in no figure: answers about a growing trace are about the range that has settled.
TEST(GrownAnswers, EveryViewIsAboutWhatHasSettled)
{
    const LogFolder recorded;
    writeRecordedLog(recorded, 3, Calls::AtOnce);
    const auto trace = *followedLog(recorded, {3, 12});
    const TimeSpan span = trace->recordedSpan();
    const Ns settled = span.begin + span.duration() / 2;
    TraceSet set = TraceSet::of({trace});
    set.grow(TraceId(0), trace, Growing{settled});
    const SetFacts facts(set), whole(TraceSet::of({trace}));
    bool isLess = false;
    for (const SummaryView &view : summaryViews()) {
        SummaryRequest request;
        request.view = view.word;
        const std::string answer = textOf(summarize(facts, request, {}));
        isLess |= answer != textOf(summarize(whole, request, {}));
        request.scope.range = TimeSpan{span.begin, settled};
        EXPECT_EQ(answerDifference(answer, textOf(summarize(whole, request, {}))), "") << view.word;
    }
    EXPECT_TRUE(isLess);
}

} // namespace
} // namespace riffle::test
