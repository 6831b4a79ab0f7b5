// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/row_order.h"
#include "tests/model/query/asked.h"
#include "tests/support/trace_with_gaps.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace riffle {

namespace {

using test::Asked;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Rows = std::vector<std::string>;

/// Threads with nested calls, streams with their kernels, steps and arrows, in segments of 16 slices.
std::shared_ptr<const Trace> randomTrace(unsigned seed)
{
    test::SmallTrace small;
    std::mt19937 random(seed);
    const auto below = [&](unsigned limit) { return static_cast<Ns>(random() % limit); };
    int64_t correlation = 0;
    for (int number = 0; number < 4; ++number) {
        const uint32_t lane = small.thread(10 + number), stream = small.stream(7 + number % 2);
        small.step(lane, number, 10'000 * number, 9'000);
        for (int call = 0; call < 40; ++call) {
            const Ns at = below(40'000);
            small.operation(lane, "op " + std::to_string(below(6)), at, 100 + below(400),
                            R"({"n": )" + std::to_string(call) + "}");
            small.launch(lane, at + 10, 20, ++correlation);
            small.kernel(stream, "kernel_" + std::to_string(below(5)), at + 50 + below(1'000), below(300), correlation);
            small.flow(lane, "ac2g", 's', correlation, at + 10);
            small.flow(stream, "ac2g", 'f', correlation, at + 60);
        }
    }
    return small.seal(16);
}

std::string withSigns(std::string sql, const std::string &sign)
{
    for (size_t at = 0; (at = sql.find('@', at)) != sql.npos;)
        sql.replace(at, 1, sign);
    return sql;
}

/// The sorted rows of a query. With "+" in place of "@", SQLite itself checks every row.
Rows sorted(Asked &ask, const std::string &sql, const std::string &sign)
{
    Rows rows = ask(withSigns(sql, sign));
    std::sort(rows.begin(), rows.end());
    return rows;
}

TEST(PushDown, AnswersAreThoseOfAFullScan)
{
    const auto first = randomTrace(1);
    auto second = std::make_shared<Trace>(*randomTrace(2));
    TraceSet two = test::setOf(first);
    two.add(second, TimeMap({{0, 1'000'003}}));
    Asked one(first), both(two), mixed(test::TraceWithGaps(*first, test::IdOrder::Arrival).trace);
    const char *const conditions[] = {
        "@id = 5",
        "@id = 5.0",
        "@id = 5.5",
        "@id in (1, 7, 9, 100000)",
        "@id > 100 and @id <= 110.5",
        "@id >= -1e300",
        "@id < -1e300",
        "@id > 9223372036854775807",
        "@id < -9223372036854775808",
        "@id = null",
        "@id is null",
        "@id between 20 and 30",
        "@ts >= 20000",
        "@ts < 3000",
        "@ts > 1999.5 and @ts < 5000",
        "@ts between 10000 and 10500",
        "@ts = 10000",
        "@ts > 1000003 and @ts < 1010003",
        "@lane_id = 2",
        "@lane_id > 2",
        "@lane_id = 2 and @ts > 8000",
        "@lane_id = 99",
        "@lane_id = -1",
        "@name = 'op 3'",
        "@name = 'kernel_2' and @ts > 20000",
        "@name = 'none'",
        "@name = 5",
        "@name = 'OP 3' collate nocase",
        "@name like 'OP %'",
        "@name glob 'k*_[12]'",
        "@name like '%3' and @lane_id < 3",
        "@name is null",
        "@name in ('op 1', 'op 2')",
        "@name > 'op 3'",
        "@name = x'6f702033'",
        "@category = 'kernel'",
        "@category = 'kernel' and @name like '%_1' and @id > 200",
        "@parent_id = 3",
        "@parent_id = 40",
        "@parent_id is not null",
        "@trace = 0",
        "@trace = 1 and @id = 3",
        "@trace > 0",
        "@trace = 7",
        "@rank = 0",
        "@id = 3 or @id = 9 or @name = 'op 1'",
    };
    for (const char *table : {"slices", "operators", "kernels"})
        for (const char *condition : conditions) {
            const std::string sql = std::string("select * from ") + table + " where " + condition;
            EXPECT_EQ(sorted(one, sql, ""), sorted(one, sql, "+")) << sql;
            EXPECT_EQ(sorted(both, sql, ""), sorted(both, sql, "+")) << sql << ", two traces";
            EXPECT_EQ(sorted(mixed, sql, ""), sorted(mixed, sql, "+")) << sql << ", ids of any order";
        }
    for (const char *sql :
         {"select * from args where @slice_id = 5", "select * from args where @slice_id between 5 and 9 and key = 'n'",
          "select * from args where @slice_id > 100", "select * from launches where @id = 8",
          "select * from lanes where @id = 1"}) {
        EXPECT_EQ(sorted(one, sql, ""), sorted(one, sql, "+")) << sql;
        EXPECT_EQ(sorted(both, sql, ""), sorted(both, sql, "+")) << sql << ", two traces";
    }
}

TEST(PushDown, OnlySegmentsInTheRangeAreReadIfIdsHaveAnyOrder)
{
    const auto trace = randomTrace(1);
    const test::TraceWithGaps mixed(*trace, test::IdOrder::Arrival);
    Asked dense(trace), ask(mixed.trace);
    const auto rowsReadFor = [&](const std::string &sql) {
        Progress progress;
        EXPECT_TRUE(ask.engine().run(sql, {}, {{}, &progress}));
        return progress.bytesTotal.load();
    };
    const std::string sql = "select name, ts from slices where ts between 10000 and 10500";
    EXPECT_GT(rowsReadFor(sql), 0u);
    EXPECT_LT(rowsReadFor(sql), rowsReadFor("select name, ts from slices") / 8);
    EXPECT_EQ(sorted(ask, sql, ""), sorted(dense, sql, ""));
}

TEST(PushDown, ATextThatIsANumberIsOne)
{
    Asked ask(randomTrace(1));
    EXPECT_EQ(ask("select * from slices where id = '5'"), ask("select * from slices where id = 5"));
    EXPECT_THAT(ask("select * from slices where id = 'five'"), IsEmpty());
}

TEST(PushDown, RowsInTheOrderOfNames)
{
    TraceSet two = test::setOf(randomTrace(1));
    two.add(randomTrace(2), TimeMap());
    Asked ask(two);
    EXPECT_EQ(ask("select name, count(*), sum(dur), max(ts) from slices group by name"),
              ask("select name, count(*), sum(dur), max(ts) from (select +name as name, dur, ts from slices) group by "
                  "name order by name"));
    EXPECT_EQ(ask("select name, trace, id from slices where name like 'op%' order by name"),
              ask("select name, trace, id from slices where +name like 'op%' order by +name, trace, id"));
    EXPECT_EQ(ask("select distinct category from slices"), ask("select distinct +category from slices order by 1"));
    EXPECT_EQ(ask("select name from slices order by name desc"), ask("select name from slices order by +name desc"));
    EXPECT_EQ(ask("select name from slices order by name collate nocase, id"),
              ask("select name from slices order by +name collate nocase, id"));
}

TEST(PushDown, RowsInTheOrderOfAnInteger)
{
    TraceSet two = test::setOf(randomTrace(1));
    two.add(randomTrace(2), TimeMap());
    Asked ask(two);
    for (const char *column : {"ts", "dur", "self_dur", "parent_id"})
        for (const char *direction : {"", " desc"}) {
            const std::string from = std::string("select trace, id, ") + column + " from slices ";
            const std::string by = std::string(" order by +") + column + direction + ", trace, id";
            EXPECT_EQ(ask(from + "order by " + column + direction), ask(from + by)) << column << direction;
            EXPECT_EQ(ask(from + "where dur > 20 order by " + column + direction + " limit 7 offset 3"),
                      ask(from + "where +dur > 20" + by + " limit 7 offset 3"))
                << column << direction;
        }
}

TEST(PushDown, RowsInGroups)
{
    TraceSet two = test::setOf(randomTrace(1));
    two.add(randomTrace(2), TimeMap());
    Asked ask(two);
    for (const char *order : {"@name", "@lane", "@lane_id", "@lane_id, @name", "@name, @lane", "@trace, @lane, @depth",
                              "@rank, @category", "@lane desc, @name", "@category desc, @depth desc"})
        EXPECT_EQ(ask("select trace, id from slices order by " + withSigns(order, "")),
                  ask("select trace, id from slices order by " + withSigns(order, "+") + ", trace, id"))
            << order;
    for (const char *by : {"name", "lane", "lane_id, name", "lane, name", "trace, depth"}) {
        const std::string sums = std::string("select ") + by + ", count(*), sum(dur), max(ts) from ";
        const std::string plain =
            "(select +name as name, +lane as lane, +lane_id as lane_id, +trace as trace, +depth as "
            "depth, dur, ts from slices)";
        for (const char *order : {" order by 4 desc, 3 desc, 2 limit 5", " order by 1, 2, 3"})
            EXPECT_EQ(ask(sums + "slices group by " + by + order), ask(sums + plain + " group by " + by + order)) << by;
    }
}

TEST(PushDown, AnInnerTableIsNotSortedForEachRow)
{
    Asked ask(randomTrace(1));
    const std::string join = "select s.name, sum(k.dur), count(*) from kernels k join slices s on s.id = k.launch_id ";
    EXPECT_EQ(ask(join + "group by s.name order by 2 desc, 1"), ask(join + "group by +s.name order by 2 desc, 1"));
    const auto plan = ask.engine().run("explain query plan " + join + "group by s.name order by 2 desc", {}, {});
    ASSERT_TRUE(plan);
    for (const std::string &detail : plan->column("detail")->texts)
        EXPECT_THAT(detail, testing::Not(HasSubstr("id=? in order"))) << detail;
}

TEST(PushDown, ManyValuesAreGroupedAndSorted)
{
    GroupedPlaces groups({false, true});
    SortedPlaces numbers(true);
    std::vector<std::tuple<int64_t, int64_t, uint64_t>> expected; // the second key falls
    std::mt19937 random(3);
    for (uint64_t row = 0; row < 30000; ++row) {
        const int64_t first = int64_t(random() % 500) - 250, second = int64_t{1} << random() % 60;
        groups.add(std::vector<int64_t>{first, second});
        numbers.add(first, row);
        expected.emplace_back(first, -second, row);
    }
    groups.close();
    for (uint64_t row = 0; row < expected.size(); ++row)
        groups.place(row);
    std::ranges::sort(expected);
    for (const auto &row : expected)
        ASSERT_EQ(groups.next(), std::get<2>(row));
    EXPECT_EQ(groups.next(), std::nullopt);
    std::ranges::stable_sort(expected, {},
                             [](const auto &row) { return std::pair(-std::get<0>(row), std::get<2>(row)); });
    for (const auto &row : expected)
        ASSERT_EQ(numbers.next(), std::get<2>(row));
    EXPECT_EQ(numbers.next(), std::nullopt);
}

TEST(PushDown, ReadySumsAreThoseOfAQuery)
{
    TraceSet two = test::setOf(randomTrace(1));
    two.add(randomTrace(2), TimeMap());
    Asked ask(two);
    const std::string sums = "count(*), sum(dur), sum(self_dur), min(dur), max(dur)";
    const std::string ready = "calls, dur, self_dur, min_dur, max_dur";
    EXPECT_EQ(ask("select trace, name, " + ready + " from slices_by_name order by trace, name"),
              ask("select trace, name, " + sums + " from slices group by trace, name order by trace, name"));
    EXPECT_EQ(ask("select trace, name, " + ready + " from kernels_by_name order by trace, name"),
              ask("select trace, name, " + sums + " from kernels group by trace, name order by trace, name"));
    EXPECT_EQ(ask("select trace, lane_id, lane, name, " + ready + " from slices_by_lane_and_name order by 1, 2, 4"),
              ask("select trace, lane_id, lane, name, " + sums +
                  " from slices group by trace, lane_id, name order by 1, 2, 4"));
    EXPECT_THAT(ask("select count(*) > 5 from slices_by_name"), ElementsAre("1"));
}

TEST(PushDown, SqliteIsToldWhatTheTablesLookFor)
{
    Asked ask(randomTrace(1));
    const auto plan = [&](const std::string &sql) {
        const auto table = ask.engine().run("explain query plan " + sql, {}, {});
        return table ? table->column("detail")->texts.front() : table.error().text();
    };
    EXPECT_THAT(plan("select * from slices where ts >= 5 and ts < 9"), HasSubstr("ts>=? ts<?"));
    EXPECT_THAT(plan("select * from slices where name = 'a' and lane_id = 3"), HasSubstr("name=? lane_id=?"));
    EXPECT_THAT(plan("select name, count(*) from slices group by name"), HasSubstr("in order of name"));
    EXPECT_THAT(plan("select name, sum(dur) from slices group by name order by 2 desc limit 5"),
                HasSubstr("in order of name descending"));
    EXPECT_THAT(plan("select lane, name, count(*) from slices group by lane, name"),
                HasSubstr("in order of lane, name"));
    EXPECT_THAT(plan("select * from slices order by dur desc limit 50"), HasSubstr("in order of dur descending"));
    EXPECT_THAT(plan("select * from args where slice_id = 3"), HasSubstr("slice_id=?"));
}

TEST(PushDown, OnlyWhatMayBeWantedIsLookedAt)
{
    Asked ask(randomTrace(1));
    const auto looked = [&](const std::string &sql) {
        Progress progress;
        EXPECT_TRUE(ask.engine().run(sql, {}, {{}, &progress})) << sql;
        return progress.events.load();
    };
    const uint64_t all = looked("select * from slices");
    EXPECT_GT(all, 400u);
    EXPECT_EQ(looked("select * from slices where id = 17"), 1u);
    EXPECT_EQ(looked("select * from slices where id between 17 and 20"), 4u);
    EXPECT_EQ(looked("select * from slices where name = 'none'"), 0u);
    EXPECT_EQ(looked("select * from slices where lane_id = 1"),
              std::stoull(ask("select count(*) from slices where +lane_id = 1").front()));
    EXPECT_EQ(looked("select * from slices where ts >= 20000 and ts < 21000"),
              std::stoull(ask("select count(*) from slices where +ts >= 20000 and +ts < 21000").front()));
    EXPECT_LT(looked("select * from args where slice_id = 17"), 4u);
    EXPECT_EQ(looked("select k.name from launches l join kernels k on k.id = l.device_id"), 2 * 160u);
}

} // namespace

} // namespace riffle
