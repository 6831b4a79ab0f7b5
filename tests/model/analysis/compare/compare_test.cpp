// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/compare.h"

#include "model/analysis/compare/memory_fill.h"
#include "model/analysis/table/table_text.h"
#include "tests/model/analysis/findings/kineto_text.h"
#include "tests/model/analysis/small_trace.h"
#include "tests/support/import_text.h"
#include "tests/support/trace_generator.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace riffle {
namespace {

using test::KinetoText;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Ns kUs = 1000;
constexpr int64_t kMemory = 64'000'000'000;
const std::string kAllReduceKernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

SetFacts comparedFacts(std::vector<std::shared_ptr<const Trace>> traces)
{
    return SetFacts(TraceSet::of(std::move(traces)));
}

ComparedSide testSide(const SetFacts &facts, uint32_t trace, const SideRequest &request = {})
{
    const auto side = comparedSide(facts, TraceId(trace), request, trace ? "B" : "A");
    EXPECT_TRUE(side) << (side ? "" : side.error().text());
    return side ? *side : ComparedSide{};
}

std::string sideError(const SetFacts &facts, const SideRequest &request)
{
    const auto side = comparedSide(facts, TraceId(0), request, "A");
    return side ? "" : side.error().text();
}

ResultTable comparedView(const SetFacts &facts, const char *word, const ComparedSide &a, const ComparedSide &b)
{
    auto table = compare(facts, *findCompareView(word), a, b, {});
    EXPECT_TRUE(table);
    EXPECT_TRUE(table->isRectangular());
    return std::move(*table);
}

ResultTable comparedView(const SetFacts &facts, const char *word)
{
    return comparedView(facts, word, testSide(facts, 0), testSide(facts, 1));
}

std::string callArguments(int64_t elements, int64_t groupSize, const std::string &group)
{
    return fmt::format(
        R"("Collective name":"allreduce","In msg nelems":{},"Out msg nelems":{},"Group size":{},"dtype":"Float","Process Group Name":"{}")",
        elements, elements, groupSize, group);
}

/// A step with two all-reduces of 4 MiB, which take `each`, while the allocator holds `reserved` bytes.
KinetoText runWithCollectives(Ns each, int64_t reserved, const std::string &group, int64_t groupSize = 16)
{
    KinetoText text;
    text.device(0, kMemory, 8);
    text.step(1, 1000 * kUs, 2000 * kUs + 2 * each);
    text.memory(900 * kUs, reserved - 8, reserved - 8);
    text.memory(1500 * kUs, reserved, reserved);
    text.memory(1000 * kUs + 2 * each + 1950 * kUs, kMemory, kMemory); // after the calls
    Ns at = 1400 * kUs;
    text.kernel("ampere_sgemm", 7, 1100 * kUs, 200 * kUs, 1010 * kUs);
    for (int call = 0; call < 2; ++call, at += each + 100 * kUs)
        text.kernel(kAllReduceKernel, 20, at, each, (1020 + call) * kUs, 500, callArguments(1 << 20, groupSize, group));
    return text;
}

TEST(Compare, TheSameCollectiveInAFullMemory)
{
    // Document 004: alone, an all-reduce takes 1 ms; in the combined run with a nearly full memory, 500 times that.
    const SetFacts facts = comparedFacts({runWithCollectives(1000 * kUs, kMemory / 2, "0").trace(),
                                          runWithCollectives(500'000 * kUs, kMemory / 100 * 97, "7").trace()});
    const ResultTable table = comparedView(facts, "communication");
    ASSERT_THAT(table.column("operation")->texts, ElementsAre("Total", "all_reduce"));
    EXPECT_THAT(table.column("state")->texts, ElementsAre("changed", "changed")) << "the group's name is no key";
    EXPECT_THAT(table.column("calls_a")->integers, ElementsAre(2, 2));
    EXPECT_THAT(table.column("calls_b")->integers, ElementsAre(2, 2));
    EXPECT_THAT(table.column("time_delta_ns")->integers, ElementsAre(998'000 * kUs, 998'000 * kUs));
    EXPECT_EQ(table.column("median_ratio")->numbers[1], 500);
    EXPECT_NEAR(table.column("memory_fill_a")->numbers[1], 0.5, 1e-9);
    EXPECT_NEAR(table.column("memory_fill_b")->numbers[1], 0.97, 1e-9);
    const ResultTable step = comparedView(facts, "step");
    EXPECT_EQ(step.column("part")->texts[1], "Exposed communication") << "it explains most of the difference";
    EXPECT_EQ(step.column("delta_ns")->integers[1], 998'000 * kUs);
}

TEST(Compare, OtherGroupsAreNotPairedAndUnknownFillsSaySo)
{
    KinetoText other;
    other.step(1, 0, 3000 * kUs);
    other.kernel(kAllReduceKernel, 20, 100 * kUs, 700 * kUs, 10 * kUs, 500, callArguments(1 << 20, 8, "0"));
    const SetFacts facts = comparedFacts({runWithCollectives(1000 * kUs, kMemory / 2, "0").trace(), other.trace()});
    const ResultTable table = comparedView(facts, "communication");
    EXPECT_THAT(table.column("group_size")->integers, ElementsAre(kNoInt, 16, 8));
    EXPECT_THAT(table.column("state")->texts, ElementsAre("changed", "gone", "new"));
    EXPECT_THAT(table.column("time_delta_ns")->integers, ElementsAre(-1300 * kUs, -2000 * kUs, 700 * kUs));
    EXPECT_TRUE(table.column("memory_fill_b")->absent(2));
    ASSERT_EQ(table.notes.size(), 1u);
    EXPECT_THAT(table.notes[0], HasSubstr("memory fill of B is unknown"));
}

TEST(Compare, TwoGroupsOfOneSizeAreOneRow)
{
    KinetoText text = runWithCollectives(1000 * kUs, kMemory / 2, "0"),
               renamed = runWithCollectives(1000 * kUs, kMemory / 2, "5");
    for (KinetoText *one : {&text, &renamed})
        one->kernel(kAllReduceKernel, 21, 3600 * kUs, 50 * kUs, 1030 * kUs, 500,
                    callArguments(1 << 20, 16, one == &text ? "1" : "0"));
    const ResultTable table = comparedView(comparedFacts({text.trace(), renamed.trace()}), "communication");
    EXPECT_THAT(table.column("state")->texts, ElementsAre("same", "same"));
    EXPECT_THAT(table.column("calls_a")->integers, ElementsAre(3, 3));
    EXPECT_EQ(table.column("groups_a")->texts[1], "0, 1");
    EXPECT_EQ(table.column("groups_b")->texts[1], "0, 5");
}

/// Every change of a table is 0, and every row is the same.
void expectSame(const ResultTable &table)
{
    SCOPED_TRACE(table.view);
    for (const ResultColumn &column : table.columns) {
        for (size_t row = 0; column.isChange && column.key != "of_delta" && row < table.rows(); ++row)
            EXPECT_TRUE(column.absent(row) || column.number(row) == 0) << column.key;
        if (column.key == "state") {
            EXPECT_THAT(column.texts, testing::Each("same"));
        }
    }
}

std::shared_ptr<const Trace> generatedTraining(uint32_t seed)
{
    test::TraceOptions options;
    options.seed = seed;
    options.steps = 4;
    options.layers = 2;
    std::string text;
    test::ByteSink sink(test::ByteSink::toString(text));
    test::generateTrace(options, sink);
    sink.flush();
    auto trace = test::importText(text);
    EXPECT_TRUE(trace);
    return *trace;
}

TEST(Compare, ATraceWithItselfIsTheSameAndSumsAreExact)
{
    const SetFacts facts = comparedFacts({generatedTraining(1), generatedTraining(2)});
    for (const CompareView &view : compareViews()) {
        const ResultTable table = comparedView(facts, view.word, testSide(facts, 0), testSide(facts, 0));
        EXPECT_GT(table.rows() + table.notes.size(), 0u) << view.word;
        expectSame(table);
    }
    SideRequest all;
    all.allSteps = true;
    for (const SideRequest &request : {SideRequest(), all})
        for (const auto &[view, key] : {std::pair("step", "delta_ns"), std::pair("copies", "total_delta_ns"),
                                        std::pair("communication", "time_delta_ns")}) {
            SCOPED_TRACE(view);
            const ResultTable table =
                comparedView(facts, view, testSide(facts, 0, request), testSide(facts, 1, request));
            ASSERT_GT(table.rows(), 1u);
            const std::vector<int64_t> &deltas = table.column(key)->integers;
            EXPECT_NE(deltas.front(), 0);
            int64_t sum = 0;
            for (size_t row = 1; row < deltas.size(); ++row) {
                sum += deltas[row];
                if (row > 1) {
                    EXPECT_LE(std::abs(deltas[row]), std::abs(deltas[row - 1])) << "what explains most comes first";
                }
            }
            EXPECT_EQ(sum, deltas.front());
        }
    // The whole window, and not only the parts, is that of the steps.
    const ComparedSide a = testSide(facts, 0), b = testSide(facts, 1);
    const ResultTable step = comparedView(facts, "step", a, b);
    const auto length = [&](const ComparedSide &side) {
        return facts.of(side.trace).steps().steps[side.median.middle].host.duration();
    };
    EXPECT_EQ(step.column("a_ns")->integers[0], length(a));
    EXPECT_EQ(step.column("b_ns")->integers[0], length(b));
}

TEST(Compare, DevicesArePairedInTheirOrder)
{
    KinetoText two, one;
    for (KinetoText *text : {&two, &one})
        text->step(1, 1000, 1000);
    two.kernel("ampere_sgemm", 7, 1100, 100, 1010, 10, "", 2);
    two.kernel("ampere_sgemm", 7, 1100, 300, 1030, 10, "", 5);
    one.kernel("ampere_sgemm", 7, 1200, 150, 1010, 10, "", 0);
    const ResultTable table = comparedView(comparedFacts({two.trace(), one.trace()}), "step");
    std::vector<std::string> tops;
    std::vector<Ns> changes, sums;
    for (size_t row = 0; row < table.rows(); ++row)
        if (table.depth[row] == 0) {
            tops.push_back(table.column("device")->texts[row]);
            changes.push_back(table.column("delta_ns")->integers[row]);
            sums.push_back(0);
        } else {
            sums.back() += table.column("delta_ns")->integers[row];
        }
    EXPECT_THAT(tops, ElementsAre("GPU2 → GPU0", "GPU5"));
    EXPECT_THAT(changes, ElementsAre(0, -1000)) << "the second device has no step in B";
    EXPECT_EQ(sums, changes);
    ASSERT_EQ(table.notes.size(), 1u);
    EXPECT_THAT(table.notes[0], HasSubstr("A has 2 devices and B 1"));
}

TEST(Compare, MemoryAtThePeakSumsToThePeak)
{
    const SetFacts facts = comparedFacts({generatedTraining(1), generatedTraining(2)});
    const ResultTable table = comparedView(facts, "memory");
    ASSERT_GT(table.rows(), 2u);
    const std::vector<int64_t> &deltas = table.column("bytes_delta")->integers;
    int64_t sum = 0;
    for (size_t row = 1; row < table.rows() && table.depth[row] > 0; ++row)
        sum += deltas[row];
    EXPECT_EQ(sum, deltas.front());
}

TEST(Compare, ViewsOfOneComparisonAreThoseOfEach)
{
    const SetFacts facts = comparedFacts({generatedTraining(1), generatedTraining(2)});
    SideRequest last;
    last.steps = TimeSpan{2, 3};
    for (const uint32_t other : {0u, 1u}) {
        const ComparedSide a = testSide(facts, 0), b = testSide(facts, other, last);
        Comparison comparison(facts, a, b);
        for (const CompareView &view : compareViews()) {
            SCOPED_TRACE(view.word);
            const auto shared = comparison.table(view, {});
            ASSERT_TRUE(shared);
            const ResultTable alone = comparedView(facts, view.word, a, b);
            EXPECT_EQ(tableCsv(*shared, allRows(*shared)), tableCsv(alone, allRows(alone)));
            EXPECT_EQ(shared->notes, alone.notes);
        }
        std::stop_source stopped;
        stopped.request_stop();
        EXPECT_FALSE(comparison.table(compareViews().front(), Task{.stop = stopped.get_token()}));
    }
}

TEST(Compare, APartIsComparedWithAPartInEveryView)
{
    const SetFacts facts = comparedFacts({generatedTraining(1)});
    const ComparedSide plain = testSide(facts, 0);
    SideRequest median;
    median.steps = plain.part.steps;
    const ComparedSide chosen = testSide(facts, 0, median);
    for (const char *word : {"memory", "findings"})
        for (const auto &[a, b] : {std::pair(chosen, plain), std::pair(plain, chosen)}) {
            const ResultTable table = comparedView(facts, word, a, b);
            expectSame(table);
            EXPECT_THAT(table.notes, testing::Not(testing::Contains(HasSubstr("all that was recorded")))) << word;
            const ResultTable both = comparedView(facts, word, chosen, chosen);
            EXPECT_EQ(table.rows(), both.rows()) << word;
        }
}

TEST(Compare, FindingsOfOneSideAreNewOrGone)
{
    KinetoText full = runWithCollectives(1000 * kUs, kMemory / 100 * 99, "0"), empty;
    empty.device(0, kMemory, 8);
    empty.memory(900 * kUs, 8, 8);
    empty.step(1, 1000 * kUs, 4000 * kUs);
    empty.kernel("ampere_sgemm", 7, 1100 * kUs, 3800 * kUs, 1010 * kUs);
    const SetFacts facts = comparedFacts({full.trace(), empty.trace()});
    const auto stateOfRule = [&](const ResultTable &table, const std::string &id) {
        const auto &ids = table.column("id")->texts;
        const auto found = std::ranges::find(ids, id);
        return found == ids.end() ? "" : table.column("state")->texts[size_t(found - ids.begin())];
    };
    const ComparedSide a = testSide(facts, 0), b = testSide(facts, 1);
    const ResultTable gone = comparedView(facts, "findings", a, b);
    ASSERT_GT(gone.rows(), 0u);
    EXPECT_THAT(gone.notes, testing::Contains(HasSubstr("all that was recorded")));
    SideRequest chosen;
    chosen.steps = TimeSpan{1, 1};
    EXPECT_THAT(comparedView(facts, "findings", testSide(facts, 0, chosen), testSide(facts, 1, chosen)).notes,
                testing::Not(testing::Contains(HasSubstr("all that was recorded"))));
    std::string id;
    for (size_t row = 0; row < gone.rows() && id.empty(); ++row)
        if (gone.column("title")->texts[row].find("memory") != std::string::npos)
            id = gone.column("id")->texts[row];
    EXPECT_EQ(stateOfRule(gone, id), "gone");
    EXPECT_EQ(stateOfRule(comparedView(facts, "findings", b, a), id), "new");
    EXPECT_EQ(stateOfRule(comparedView(facts, "findings", a, a), id), "same");
}

TEST(ComparedSide, TheMedianStepIsARealStep)
{
    KinetoText text;
    const Ns lengths[] = {900, 200, 500, 300, 400};
    Ns at = 0;
    for (int step = 0; step < 5; at += lengths[step++] * kUs)
        text.step(step + 10, at, lengths[step] * kUs);
    text.operation("aten::mm", 0, at);
    const SetFacts facts = comparedFacts({text.trace()});
    const ComparedSide side = testSide(facts, 0);
    EXPECT_EQ(side.median.steps, 4u) << "the first step is far longer than the others";
    EXPECT_EQ(side.median.duration, 350 * kUs);
    EXPECT_EQ(side.part.steps, (TimeSpan{13, 13})) << "the shorter of the middle two";
    EXPECT_EQ(side.partText, "step 13, the middle of 4 by length");
    EXPECT_EQ(side.wholeText, "all of it");
    SideRequest request;
    request.steps = TimeSpan{10, 12};
    EXPECT_EQ(testSide(facts, 0, request).partText, "steps 10 to 12");
    EXPECT_EQ(testSide(facts, 0, request).median.duration, 350 * kUs) << "of 200 and 500 µs";
    request.steps.reset();
    request.allSteps = true;
    const ComparedSide all = testSide(facts, 0, request);
    EXPECT_EQ(Scope(facts.of(TraceId(0)), all.part).wholeWindow().length(), 1400 * kUs);
    request.allSteps = false;
    request.range = TimeSpan{1000 * kUs, 1300 * kUs}; // from the first event
    EXPECT_EQ(Scope(facts.of(TraceId(0)), testSide(facts, 0, request).part).wholeWindow().length(), 300 * kUs);
    EXPECT_EQ(testSide(facts, 0, request).median.steps, 0u) << "the range cuts its steps";
    request.range = TimeSpan{900'000 * kUs, 900'001 * kUs};
    EXPECT_THAT(sideError(facts, request), HasSubstr("no events in this range"));
    request = {};
    request.steps = TimeSpan{99, 99};
    EXPECT_THAT(sideError(facts, request), HasSubstr("A has none of these steps"));
    request = {};
    request.stepMark = "nothing";
    EXPECT_THAT(sideError(facts, request), HasSubstr("nothing"));
}

TEST(ComparedSide, StepsOfOneNumberAndTracesWithoutSteps)
{
    KinetoText text;
    for (const Ns at : {0, 1000, 3000}) // two recordings in one file, which number their steps alike
        text.step(5, at * kUs, at ? (at == 1000 ? 300 * kUs : 700 * kUs) : 400 * kUs);
    text.operation("aten::mm", 0, 4000 * kUs);
    KinetoText without;
    without.operation("aten::mm", 0, 100 * kUs);
    const SetFacts facts = comparedFacts({text.trace(), without.trace()});
    const ComparedSide side = testSide(facts, 0);
    EXPECT_EQ(Scope(facts.of(TraceId(0)), side.part).wholeWindow(), IntervalSet(TimeSpan{0, 400 * kUs}));
    EXPECT_EQ(testSide(facts, 1).partText, "all of it (no steps)");
    EXPECT_EQ(testSide(facts, 1).median.steps, 0u);
    SideRequest all;
    all.allSteps = true;
    const auto wrong = comparedSide(facts, TraceId(1), all, "B");
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().text(), HasSubstr("B has no steps"));
}

TEST(ComparedSide, StepsThatNeverEndedAreNotCompared)
{
    test::SmallTrace text;
    const uint32_t main = text.thread(1);
    text.step(main, 0, 0, 100);
    text.step(main, 1, 100, 200);
    text.openStep(main, 2, 300);
    text.operation(main, "aten::mm", 310, 300);
    const SetFacts facts = comparedFacts({text.seal()});
    const ComparedSide side = testSide(facts, 0);
    EXPECT_EQ(side.median.steps, 2u);
    EXPECT_EQ(side.median.duration, 150);
    EXPECT_EQ(side.part.steps, (TimeSpan{0, 0}));
    SideRequest request;
    request.allSteps = true;
    const ComparedSide all = testSide(facts, 0, request);
    EXPECT_EQ(all.partText, "2 steps, all that count");
    EXPECT_EQ(Scope(facts.of(TraceId(0)), all.part).wholeWindow().length(), 300);
}

TEST(MemoryFill, IsTheLargestLevelOfTheSpan)
{
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        KinetoText text;
        text.device(0, 1000, 8);
        text.kernel("k", 7, 1000 * kUs, 10, 900 * kUs);
        std::vector<std::pair<Ns, int64_t>> levels;
        Ns time = 0;
        for (int at = 0, count = 1 + int(random() % 40); at < count; ++at) {
            time += 1 + Ns(random() % 20);
            levels.emplace_back(time, 1 + int64_t(random() % 1000));
            text.memory(time, 1, levels.back().second);
        }
        const auto trace = text.trace();
        const TraceFacts facts(trace);
        const MemoryFill fill(facts);
        ASSERT_TRUE(fill.isKnown());
        for (int question = 0; question < 40; ++question) {
            const Ns begin = Ns(random() % 400), end = begin + 1 + Ns(random() % 100);
            int64_t expected = -1;
            for (const auto &[at, level] : levels)
                if (at <= begin)
                    expected = level; // the last one counts
            if (expected >= 0)
                for (const auto &[at, level] : levels)
                    if (at > begin && at < end)
                        expected = std::max(expected, level);
            const double found = fill.largest(0, {begin, end});
            if (expected < 0)
                EXPECT_TRUE(std::isnan(found));
            else
                EXPECT_DOUBLE_EQ(found, double(expected) / 1000);
        }
    }
    KinetoText unknown;
    unknown.kernel("k", 7, 1000 * kUs, 10, 900 * kUs);
    unknown.memory(1, 1, 1);
    const auto trace = unknown.trace();
    const TraceFacts facts(trace);
    EXPECT_FALSE(MemoryFill(facts).isKnown()) << "the size of the device is unknown";
}

} // namespace
} // namespace riffle
