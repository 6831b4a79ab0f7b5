// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/format.h"
#include "tests/model/query/asked.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

namespace riffle {

namespace {

using test::Asked;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(QuerySafety, AQueryCannotWriteAttachOrChangeAnything)
{
    Asked ask(test::trainingTrace());
    const auto path = std::filesystem::path(testing::TempDir()) / "riffle_query_attack.db";
    std::filesystem::remove(path);
    const std::string attacks[] = {
        "attach '" + path.string() + "' as other",
        "vacuum into '" + path.string() + "'",
        "create table t(a)",
        "create temp table t(a)",
        "create view v as select 1",
        "create virtual table t using fts5(a)",
        "create virtual table t using slices",
        "insert into slices(id) values (1)",
        "update slices set name = 'x'",
        "delete from slices",
        "drop table slices",
        "pragma writable_schema = 1",
        "pragma cache_size",
        "select * from pragma_database_list",
        "select load_extension('x.so')",
        "select load_extension('x.so', 'y')",
        "begin",
        "commit",
        "savepoint a",
        "detach main",
        "reindex",
        "analyze",
        "alter table slices rename to t",
        "explain delete from slices",
        "with a as (select 1) delete from slices",
        "select fts3_tokenizer('simple', x'0000000000000000')",
        "select 1; delete from slices",
        "insert into sqlite_schema values (1, 2, 3, 4, 5)",
    };
    for (const std::string &sql : attacks) {
        const auto answer = ask.engine().run(sql, {}, {});
        ASSERT_FALSE(answer) << sql;
        EXPECT_EQ(answer.error().kind, ErrorKind::Question) << sql << ": " << answer.error().text();
        EXPECT_FALSE(std::filesystem::exists(path)) << sql;
    }
    EXPECT_THAT(ask("select count(*) from kernels"), ElementsAre("4"));
}

TEST(QuerySafety, WhatIsWrongIsSaidWithItsPlace)
{
    Asked ask(test::trainingTrace());
    EXPECT_EQ(ask.error("select name fro slices"), "near \"slices\": syntax error (at byte 16)");
    EXPECT_EQ(ask.error("select nam from slices"), "no such column: nam (at byte 7)");
    EXPECT_THAT(ask.error("select * from slice"),
                AllOf(StartsWith("no such table: slice. The tables are slices, args, "),
                      EndsWith(", columns and, for each view of the summary, "
                               "summary_VIEW.")));
    EXPECT_EQ(ask.error("select 1 +"), "incomplete input");
    EXPECT_EQ(ask.error(""), "The query is empty.");
    EXPECT_EQ(ask.error(" -- nothing"), "The query is empty.");
    EXPECT_EQ(ask.error("select 1; select 2"), "Run one query at a time (at byte 9).");
    EXPECT_THAT(ask.error("select 'a' regexp '('"), HasSubstr("is not a regular expression"));
    EXPECT_THAT(ask.error(std::string("select 1\0, 2", 12)), HasSubstr("A query must not contain a null byte"));
    EXPECT_THAT(ask("select 1; -- the end"), ElementsAre("1"));
    EXPECT_THAT(ask("select 'abc' regexp 'b|x', 'abc' regexp '^b', null regexp 'a'"), ElementsAre("1|0|"));
}

TEST(QuerySafety, ARunawayQueryIsStopped)
{
    Asked ask(test::trainingTrace());
    for (const char *sql : {"with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
                            "select count(*) from slices a, slices b, slices c, slices d, slices e, slices f, slices g",
                            "select count(*) from args a, args b, args c, args d, args e"}) {
        std::stop_source stop;
        Progress progress;
        std::jthread watch([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            stop.request_stop();
        });
        const auto answer = ask.engine().run(sql, {}, {stop.get_token(), &progress});
        ASSERT_FALSE(answer) << sql;
        EXPECT_EQ(answer.error().kind, ErrorKind::Cancelled) << sql;
    }
    EXPECT_THAT(ask("select 1"), ElementsAre("1")); // and the next one runs
}

TEST(QuerySafety, AQueryEndsAtItsTimeLimit)
{
    Asked ask(test::trainingTrace());
    for (const char *sql : {"with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
                            "select a.id from slices a, slices b, slices c, slices d, slices e order by a.dur"}) {
        const auto answer = ask.engine().run(sql, {.time = std::chrono::milliseconds(50)}, {});
        ASSERT_FALSE(answer) << sql;
        EXPECT_EQ(answer.error().kind, ErrorKind::Limit) << sql;
        EXPECT_THAT(answer.error().text(), HasSubstr("longer than the time limit"));
    }
    EXPECT_THAT(ask("select 1"), ElementsAre("1")); // and the next one runs
}

TEST(QuerySafety, AnAnswerStaysWithinItsMemory)
{
    Asked ask(test::trainingTrace());
    const QueryEngine::Limits limits{.bytes = 4 << 20};
    const std::string rows = "with recursive n(i) as (select 1 union all select i + 1 from n limit 200000) ";
    for (const char *what : {"select i, i, i, i from n", "select 'a text of some length ' || i from n"}) {
        const auto answer = ask.engine().run(rows + what, limits, {});
        ASSERT_FALSE(answer) << what;
        EXPECT_EQ(answer.error().kind, ErrorKind::Limit) << what;
        EXPECT_THAT(answer.error().text(), HasSubstr("more than " + formatBytes(4 << 20) + " of memory"));
    }
    EXPECT_THAT(ask("select 1"), ElementsAre("1"));
}

TEST(QuerySafety, AStreamedAnswerIsTheWholeAnswer)
{
    Asked ask(test::trainingTrace());
    // The second column changes from integers to numbers to texts.
    const std::string sql =
        "with recursive n(i) as (select 1 union all select i + 1 from n limit 10000) select i, case "
        "when i < 5000 then i when i < 9000 then i + 0.5 else 'text ' || i end from n";
    std::vector<std::string> rows;
    size_t pieces = 0;
    const auto add = [&](const ResultTable &piece) {
        const auto more = test::rowsOf(piece);
        rows.insert(rows.end(), more.begin(), more.end());
        ++pieces;
        return true;
    };
    const auto rest = ask.engine().stream(sql, {.bytes = 1 << 20}, {}, add);
    ASSERT_TRUE(rest) << rest.error().text();
    add(*rest);
    EXPECT_EQ(rows, ask(sql));
    EXPECT_GT(pieces, 2u);
    EXPECT_FALSE(ask.engine().stream(sql, {}, {}, [](const ResultTable &) { return false; }));
}

TEST(QuerySafety, AQueryThatIsStoppedBeforehandAnswersNothing)
{
    Asked ask(test::trainingTrace());
    std::stop_source stop;
    stop.request_stop();
    for (const char *sql :
         {"select * from slices", "select name, count(*) from slices group by name", "select * from args"}) {
        const auto answer = ask.engine().run(sql, {}, {stop.get_token(), nullptr});
        ASSERT_FALSE(answer) << sql;
        EXPECT_EQ(answer.error().kind, ErrorKind::Cancelled) << sql;
    }
}

TEST(QuerySafety, MemoryAndRowsHaveLimits)
{
    Asked ask(test::trainingTrace());
    const auto large = ask.engine().run("select length(zeroblob(1000000000))", {}, {});
    EXPECT_FALSE(large);
    const auto few = ask.engine().run("select id from slices order by id", {.rows = 3}, {});
    ASSERT_TRUE(few);
    EXPECT_THAT(test::rowsOf(*few), ElementsAre("0", "1", "2"));
    EXPECT_THAT(few->notes, ElementsAre("There are more rows than the 3 shown."));
    const auto exact = ask.engine().run("select id from slices limit 3", {.rows = 3}, {});
    ASSERT_TRUE(exact);
    EXPECT_TRUE(exact->notes.empty());
}

TEST(QuerySafety, ArgumentsNeedTheSource)
{
    auto trace = std::make_shared<Trace>(*test::trainingTrace());
    trace->source = nullptr;
    Asked ask(trace);
    const auto answer = ask.engine().run("select * from args", {}, {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, ErrorKind::Unreadable);
    EXPECT_THAT(ask("select count(*), count(input_dims) from operators"), ElementsAre("6|0"));
}

TEST(QuerySafety, AnyTextIsAQueryOrAnError)
{
    Asked ask(test::trainingTrace());
    const char *const words[] = {"select",   "*",  "from",  "slices", "args",     "where", "name",      "=",
                                 "'",        "\"", "(",     ")",      ";",        "--",    "/*",        "group by",
                                 "order by", "-1", "1e999", "x'00'",  "\xff\xfe", "é",     "like",      "'%'",
                                 "null",     ",",  "join",  "using",  "id",       "limit", "union all", "with",
                                 "as",       "[",  "`",     "?1",     ":a",       "glob"};
    std::mt19937 random(20'240'501);
    for (int round = 0; round < 3'000; ++round) {
        std::string sql = random() % 2 ? "select * from slices where " : "";
        for (auto left = random() % 12; left > 0; --left)
            sql += std::string(words[random() % std::size(words)]) + (random() % 4 ? " " : "");
        const auto answer = ask.engine().run(sql, {.rows = 10}, {});
        if (!answer) {
            EXPECT_FALSE(answer.error().message.empty()) << sql;
        }
    }
    EXPECT_THAT(ask("select count(*) from steps"), ElementsAre("2"));
}

TEST(QueryResults, WhatValuesAColumnHasDecidesItsKind)
{
    Asked ask(test::trainingTrace());
    const auto table =
        ask.engine().run("select column1 as a, column2 as b, column3 as c, column4 as d, column1 as a, x'ff' as e from "
                         "(values (null, 1, 1, null), (2, 2.5, 'x', null), (3, null, 2.5, null))",
                         {}, {});
    ASSERT_TRUE(table);
    EXPECT_THAT(test::rowsOf(*table), ElementsAre("|1|1|||x'ff'", "2|2.5|x||2|x'ff'", "3||2.5||3|x'ff'"));
    EXPECT_EQ(table->columns[0].kind, CellKind::Count);
    EXPECT_EQ(table->columns[1].kind, CellKind::Number);
    EXPECT_EQ(table->columns[2].kind, CellKind::Text);
    EXPECT_EQ(table->columns[4].key, "a_2");
}

TEST(QueryResults, RowsLeadToTheirSlices)
{
    Asked ask(test::trainingTrace());
    const auto evidence = [&](const std::string &sql) {
        const auto table = ask.engine().run(sql, {}, {});
        return table ? table->evidence : std::vector<SliceRef>();
    };
    const SliceRef first{TraceId(0), SliceId(0)};
    EXPECT_THAT(evidence("select name, id from slices limit 1"), ElementsAre(first));
    EXPECT_THAT(evidence("select min(id) as id from slices"), ElementsAre(first));
    EXPECT_THAT(evidence("select distinct parent_id from slices where id = 0"), ElementsAre(SliceRef()));
    const auto twice =
        ask.engine().run("select id from slices where id < 3 union all select id from slices where id = 1", {}, {});
    ASSERT_TRUE(twice && twice->slices);
    EXPECT_EQ(twice->slices->rowOf({TraceId(0), SliceId(1)}), 1u);
    EXPECT_THAT(twice->slices->slicesOf(2), ElementsAre(SliceRef{TraceId(0), SliceId(2)}));
    EXPECT_TRUE(evidence("select id from lanes").empty());
    EXPECT_TRUE(evidence("select count(*) from slices").empty());
}

} // namespace

} // namespace riffle
