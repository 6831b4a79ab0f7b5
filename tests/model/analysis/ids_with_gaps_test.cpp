// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/slice_tints.h"
#include "model/analysis/search/search.h"
#include "model/layout/draw_list.h"
#include "model/layout/slice_steps.h"
#include "model/layout/timeline_svg.h"
#include "model/query/query_engine.h"
#include "model/query/query_table.h"
#include "model/trace/per_slice.h"
#include "tests/model/analysis/small_trace.h"
#include "tests/model/changing_set/questions.h"
#include "tests/model/layout/random_trace.h"
#include "tests/model/layout/slow_row.h"
#include "tests/support/import_text.h"
#include "tests/support/log_writer.h"
#include "tests/support/sample_log.h"
#include "tests/support/trace_with_gaps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <sstream>

namespace riffle::test {
namespace {

/// Traces of different recorders, some of them with their source.
const std::vector<std::shared_ptr<const Trace>> &traces()
{
    static const std::vector<std::shared_ptr<const Trace>> all = [] {
        std::vector<std::shared_ptr<const Trace>> made{trainingTrace()};
        for (const std::string &bytes : {sampleLog().bytes(), everythingLog().bytes()}) {
            static std::vector<std::unique_ptr<LogFolder>> folders;
            folders.push_back(std::make_unique<LogFolder>());
            const auto trace = importTrace(folders.back()->write("000001.part", bytes), {}, {});
            EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
            made.push_back(*trace);
        }
        return made;
    }();
    return all;
}

class IdsWithGaps : public testing::TestWithParam<IdOrder> {
protected:
    /// The text of an answer. With ids in another order, the rows of equal times may be in another order, too.
    static std::string rowsOf(const Result<ResultTable> &answer)
    {
        const std::string text = textOf(answer);
        return GetParam() == IdOrder::Stored ? text : sortedLines(text);
    }

private:
    static std::string sortedLines(const std::string &text)
    {
        std::vector<std::string> lines;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);)
            lines.push_back(line + '\n');
        std::ranges::sort(lines);
        return std::accumulate(lines.begin(), lines.end(), std::string());
    }
};

INSTANTIATE_TEST_SUITE_P(, IdsWithGaps, testing::Values(IdOrder::Stored, IdOrder::Arrival),
                         [](const auto &order) { return order.param == IdOrder::Stored ? "Stored" : "Arrival"; });

/// Calls visit(id, the id with gaps) for all slices.
void forEachPair(const TraceWithGaps &gaps, const std::function<void(uint32_t, uint32_t)> &visit)
{
    for (uint32_t id = 0; id < gaps.ids.size(); ++id)
        visit(id, gaps.ids[id]);
}

/// The ids in these columns, and the slices of rows, as they are with gaps.
void moveIds(ResultTable &table, const TraceWithGaps &gaps, const std::vector<std::string> &columns)
{
    for (const std::string &key : columns)
        if (ResultColumn *column = table.column(key))
            for (int64_t &id : column->integers)
                if (id != kNoInt)
                    id = gaps.idOf(SliceId(static_cast<uint32_t>(id))).value;
    for (SliceRef &slice : table.evidence)
        if (slice.valid())
            slice.slice = gaps.idOf(slice.slice);
}

/// All rows of every table of SQL, and queries that look for rows by ids. Each has the names of its columns of ids.
std::vector<std::pair<std::string, std::vector<std::string>>> queries()
{
    std::vector<std::pair<std::string, std::vector<std::string>>> made{
        {"select * from slices where dur > 1000 order by dur desc, ts", {"id", "parent_id"}},
        {"select count(*) as n from slices", {}},
        {"select s.name, a.key, a.value from slices s join args a on a.slice_id = s.id where s.dur > 500", {}},
        {"select p.name, c.name from slices p join slices c on c.parent_id = p.id", {}},
        {"select lane, name, sum(self_dur) as self from slices group by lane, name order by 1, 2", {}}};
    for (const QueryTable &table : queryTables()) {
        std::vector<std::string> ids;
        for (const QueryColumn &column : table.columns)
            if (column.type == std::string_view(kSliceIdType))
                ids.emplace_back(column.name);
        made.emplace_back(std::string("select * from ") + table.name, std::move(ids));
    }
    return made;
}

TEST_P(IdsWithGaps, CountsAndIdsAreDifferentThings)
{
    uint32_t mixed = 0;
    for (const auto &trace : traces()) {
        const TraceWithGaps gaps(*trace, GetParam());
        EXPECT_EQ(gaps.trace->sliceCount(), trace->sliceCount());
        mixed += gaps.trace->segmentsById.empty() ? 0 : 1;
        const uint32_t end = *std::ranges::max_element(gaps.ids) + 1;
        EXPECT_GT(end, trace->sliceCount() + 999);
        const SlicePositions positions(*gaps.trace);
        EXPECT_EQ(positions.size(), trace->sliceCount());
        forEachPair(gaps, [&](uint32_t id, uint32_t moved) {
            ASSERT_EQ(positions.of(moved), id);
            const auto slice = trace->slice(SliceId(id)), there = gaps.trace->slice(SliceId(moved));
            ASSERT_TRUE(slice && there);
            EXPECT_EQ(there->data.sourceOffset, slice->data.sourceOffset);
            EXPECT_EQ(there->parent, gaps.idOf(slice->parent));
            const Segment *segment = gaps.trace->segmentOf(SliceId(moved));
            const uint32_t at = segment->indexOf(SliceId(moved));
            EXPECT_EQ(segment->idAt(at), SliceId(moved));
            EXPECT_EQ(positions.of(*segment, at), id);
        });
        for (const uint32_t none : {uint32_t{0}, uint32_t{999}, end, SliceId::kNone})
            EXPECT_FALSE(positions.has(none) || gaps.trace->slice(SliceId(none))) << none;
    }
    EXPECT_EQ(mixed > 0, GetParam() == IdOrder::Arrival);
}

TEST_P(IdsWithGaps, EveryViewHasTheSameAnswer)
{
    for (const auto &trace : traces()) {
        const TraceWithGaps gaps(*trace, GetParam());
        const SetFacts dense(TraceSet::of({trace})), facts(TraceSet::of({gaps.trace}));
        for (size_t number = 0; number < memberQuestionCount(); ++number) {
            const Question question = memberQuestion(number, TraceId(0));
            Result<ResultTable> expected = question.ask(dense, {});
            if (expected)
                moveIds(*expected, gaps, {"slice", "slice_id"});
            EXPECT_EQ(answerDifference(rowsOf(question.ask(facts, {})), rowsOf(expected)), "")
                << question.name << " of " << trace->info.format;
        }
    }
}

TEST_P(IdsWithGaps, EveryTableOfSqlHasTheSameRows)
{
    for (const auto &trace : traces()) {
        const TraceWithGaps gaps(*trace, GetParam());
        QueryEngine dense(SetFacts(TraceSet::of({trace}))), engine(SetFacts(TraceSet::of({gaps.trace})));
        for (const auto &[sql, ids] : queries()) {
            Result<ResultTable> expected = dense.run(sql, {}, {});
            ASSERT_TRUE(expected) << sql << ": " << expected.error().text();
            moveIds(*expected, gaps, ids);
            EXPECT_EQ(answerDifference(rowsOf(engine.run(sql, {}, {})), rowsOf(expected)), "") << sql;
        }
        // An id that is in a gap, and a range of ids that begins and ends in gaps.
        const uint32_t last = *std::ranges::max_element(gaps.ids);
        for (const auto &[sql, count] : {std::pair(std::string("id = 5"), uint64_t{0}),
                                         std::pair("id between 7 and " + std::to_string(last), trace->sliceCount()),
                                         std::pair("id = " + std::to_string(last), uint64_t{1})}) {
            const auto found = engine.run("select id from slices where " + sql, {}, {});
            ASSERT_TRUE(found) << found.error().text();
            EXPECT_EQ(found->rows(), count) << sql;
        }
    }
}

TEST_P(IdsWithGaps, SearchesFindTheSameSlices)
{
    for (const auto &trace : traces()) {
        const TraceWithGaps gaps(*trace, GetParam());
        const TraceSet dense = TraceSet::of({trace}), set = TraceSet::of({gaps.trace});
        for (const bool inArguments : {false, true}) {
            const SearchQuery query{.text = "1", .arguments = inArguments};
            const auto expected = search(dense, query, {}), found = search(set, query, {});
            ASSERT_TRUE(expected && found);
            EXPECT_EQ(found->count(), expected->count());
            forEachPair(gaps, [&](uint32_t id, uint32_t moved) {
                ASSERT_EQ(found->contains({TraceId(0), SliceId(moved)}), expected->contains({TraceId(0), SliceId(id)}));
            });
        }
    }
}

TEST_P(IdsWithGaps, ColoursAndPicturesAreTheSame)
{
    for (const auto &trace : traces()) {
        const TraceWithGaps gaps(*trace, GetParam());
        for (const ColourMode mode :
             {ColourMode::Lane, ColourMode::Step, ColourMode::Duration, ColourMode::Annotation}) {
            const SliceTints expected = sliceTints(*trace, mode, trace->steps, 7);
            const SliceTints found = sliceTints(*gaps.trace, mode, gaps.trace->steps, 7);
            EXPECT_EQ(found.size(), expected.size());
            forEachPair(gaps, [&](uint32_t id, uint32_t moved) { ASSERT_EQ(found[moved], expected[id]); });
            EXPECT_EQ(found.at(0, kNoTint), kNoTint);
        }
        std::vector<std::string> pictures;
        for (const auto &one : {trace, gaps.trace}) {
            const SetFacts facts(TraceSet::of({one}));
            SetWorkClasses classes;
            classes[TraceId(0)] = facts.of(TraceId(0)).workClasses();
            pictures.push_back(timelineSvg(facts.set(), facts.set().span(), {}, classes));
        }
        EXPECT_EQ(pictures[1], pictures[0]);
    }
}

/// Many slices of these traces start at the same time on the same row, because kernels may have no length.
class IdsOfAnyOrder : public testing::TestWithParam<uint32_t> {
protected:
    const std::shared_ptr<const Trace> m_trace = randomTrace(21, 60, GetParam());
    const TraceWithGaps m_mixed{*m_trace, IdOrder::Arrival};
};

INSTANTIATE_TEST_SUITE_P(, IdsOfAnyOrder, testing::Values(16u, 100u, Segment::kMaxSlices));

TEST_P(IdsOfAnyOrder, HitsFollowEachOtherInTheSameOrder)
{
    const TraceSet set = setOf(m_trace), mixed = setOf(m_mixed.trace);
    const auto expected = search(set, {.text = "1"}, {}), found = search(mixed, {.text = "1"}, {});
    ASSERT_TRUE(expected && found);
    ASSERT_GT(expected->count(), 100u);
    ASSERT_EQ(found->count(), expected->count());
    SliceRef at = expected->next({}), there = found->next({});
    for (uint64_t hit = 0; hit < expected->count(); ++hit) {
        ASSERT_EQ(there.slice, m_mixed.idOf(at.slice)) << hit;
        ASSERT_EQ(found->rank(there), hit);
        ASSERT_TRUE(found->contains(there));
        const SliceRef next = found->next(there);
        ASSERT_EQ(found->previous(next), there);
        at = expected->next(at);
        there = next;
    }
}

TEST_P(IdsOfAnyOrder, StepsLeadToTheSameSlices)
{
    for (uint32_t id = 0; id < m_mixed.ids.size(); ++id)
        for (const int direction : {-1, 1}) {
            const SliceId slice(id), there = m_mixed.idOf(slice);
            ASSERT_EQ(nextOnRow(*m_mixed.trace, there, direction), m_mixed.idOf(nextOnRow(*m_trace, slice, direction)));
            ASSERT_EQ(nextOfName(*m_mixed.trace, there, direction),
                      m_mixed.idOf(nextOfName(*m_trace, slice, direction)));
        }
}

TEST_P(IdsOfAnyOrder, HighlightedSlicesShowInTheSamePlaces)
{
    std::mt19937_64 random(22);
    const TraceSet set = setOf(m_trace), mixedSet = setOf(m_mixed.trace);
    const LaneLayout layout(set, {}, {}), mixedLayout(mixedSet, {}, {});
    for (int view = 0; view < 30; ++view) {
        PerTrace<BigVector<uint32_t>> hits, mixedHits;
        for (uint32_t id = 0; id < m_mixed.ids.size(); ++id)
            if (random() % 9 == 0) {
                hits[TraceId(0)].push_back(id);
                mixedHits[TraceId(0)].push_back(m_mixed.ids[id]);
            }
        std::ranges::sort(mixedHits[TraceId(0)]);
        DrawList::Request request;
        request.set = &set;
        request.section = &layout.items();
        request.scale = TimeScale(randomRange(random, set.span()), 300);
        request.yEnd = layout.height();
        request.hits = &hits;
        DrawList list, mixed;
        list.build(request);
        request.set = &mixedSet;
        request.section = &mixedLayout.items();
        request.hits = &mixedHits;
        mixed.build(request);
        ASSERT_EQ(mixed.items().size(), list.items().size());
        for (size_t item = 0; item < list.items().size(); ++item) {
            std::vector<std::vector<Box>> expected(list.items()[item].rows.begin(), list.items()[item].rows.end());
            for (std::vector<Box> &row : expected)
                for (Box &box : row)
                    box.slice = m_mixed.idOf(SliceId(box.slice)).value;
            EXPECT_EQ(mixed.items()[item].rows, expected) << "view " << view << " item " << item;
        }
    }
}

} // namespace
} // namespace riffle::test
