// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/device_time_rows.h"

#include "model/ingest/importer.h"
#include "tests/model/analysis/compare/planned_calls.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>

namespace riffle {
namespace {

using namespace test;

constexpr DeviceRowsBy kAllRows[] = {DeviceRowsBy::Kernel, DeviceRowsBy::Operator, DeviceRowsBy::Module};

std::string rowText(const DeviceTimeRow &row)
{
    return fmt::format("{}>{} {} {}>{} ({}>{})", row.isWithoutA ? "without" : row.nameA,
                       row.isWithoutB ? "without" : row.nameB, textOf(row.state), row.a, row.b, row.callsA, row.callsB);
}

std::vector<std::string> rowTexts(const DeviceComparison &comparison, DeviceRowsBy by)
{
    std::vector<std::string> texts;
    for (const DeviceTimeRow &row : deviceTimeRows(comparison, by))
        texts.push_back(rowText(row));
    return texts;
}

/// All rows sum to the device times that the scopes have, and pairs, gone and new to all work.
void expectSums(const DeviceComparison &comparison)
{
    const auto timeOf = [](const Scope &scope) {
        Ns sum = 0;
        for (size_t at = 0; at < scope.facts().work().size(); ++at)
            sum += scope.deviceTime(at);
        return sum;
    };
    const Ns allA = timeOf(comparison.scopeA()), allB = timeOf(comparison.scopeB());
    EXPECT_EQ(comparison.totalA(), allA);
    EXPECT_EQ(comparison.totalB(), allB);
    const DeviceComparison::Counts &counts = comparison.counts();
    EXPECT_EQ(counts.same + counts.renamed + counts.gone, comparison.a().workCount());
    EXPECT_EQ(counts.same + counts.renamed + counts.added, comparison.b().workCount());
    for (const DeviceRowsBy by : kAllRows) {
        Ns a = 0, b = 0, delta = 0;
        uint64_t workA = 0, workB = 0;
        uint64_t last = UINT64_MAX;
        for (const DeviceTimeRow &row : deviceTimeRows(comparison, by)) {
            a += row.a;
            b += row.b;
            delta += row.delta();
            workA += row.workA;
            workB += row.workB;
            const auto size = static_cast<uint64_t>(std::abs(row.delta()));
            EXPECT_LE(size, last);
            last = size;
            EXPECT_EQ(row.sliceA.valid(), row.workA > 0);
            EXPECT_EQ(row.sliceB.valid(), row.workB > 0);
        }
        EXPECT_EQ(a, allA);
        EXPECT_EQ(b, allB);
        EXPECT_EQ(delta, allB - allA);
        EXPECT_EQ(workA, comparison.a().workCount());
        EXPECT_EQ(workB, comparison.b().workCount());
    }
}

std::shared_ptr<const Trace> oneStep(const std::vector<PlannedCall> &calls, int number = 0)
{
    PlannedTrace plan(number, 100 + number);
    plan.step(calls);
    return plan.seal();
}

TEST(DeviceTimeRows, OneRenamedOneSlowerOneNewAreExactlyThese)
{
    const auto layer = [](int index, const char *gemm, Ns softmax, bool extra) {
        std::vector<PlannedCall> calls{
            operatorCall("aten::linear", {operatorCall("aten::addmm", {kernelCall(gemm, 400)})}),
            operatorCall("aten::softmax", {kernelCall("softmax_k", softmax)}),
            operatorCall("aten::relu", {kernelCall("relu_k", 50)})};
        if (extra)
            calls.push_back(operatorCall("aten::dropout", {kernelCall("dropout_k", 33)}));
        return moduleCall("Layer_" + std::to_string(index), calls);
    };
    const auto net = [&](const char *gemm, Ns softmax, bool extra) {
        return std::vector{moduleCall("Net_0", {layer(0, "sgemm_old", 100, false), layer(1, gemm, softmax, extra)}),
                           kernelCall("bare_k", 7)};
    };
    const TraceFacts factsA(oneStep(net("sgemm_old", 100, false))), factsB(oneStep(net("sgemm_new", 130, true), 40));
    const Scope a(factsA, {}), b(factsB, {});
    const DeviceComparison comparison(a, b);
    expectSums(comparison);
    EXPECT_EQ(comparison.counts().same, 6u);
    EXPECT_EQ(comparison.counts().renamed, 1u);
    EXPECT_EQ(comparison.counts().gone, 0u);
    EXPECT_EQ(comparison.counts().added, 1u);
    EXPECT_EQ(
        rowTexts(comparison, DeviceRowsBy::Kernel),
        (std::vector<std::string>{">dropout_k new 0>33 (0>1)", "softmax_k>softmax_k changed 200>230 (2>2)",
                                  "sgemm_old>sgemm_new renamed 400>400 (1>1)", "sgemm_old>sgemm_old same 400>400 (1>1)",
                                  "relu_k>relu_k same 100>100 (2>2)", "bare_k>bare_k same 7>7 (1>1)"}));
    EXPECT_EQ(
        rowTexts(comparison, DeviceRowsBy::Operator),
        (std::vector<std::string>{">aten::dropout new 0>33 (0>1)", "aten::softmax>aten::softmax changed 200>230 (2>2)",
                                  "aten::addmm>aten::addmm same 800>800 (2>2)",
                                  "aten::relu>aten::relu same 100>100 (2>2)", "without>without same 7>7 (1>1)"}));
    EXPECT_EQ(rowTexts(comparison, DeviceRowsBy::Module),
              (std::vector<std::string>{"Layer_1>Layer_1 changed 550>613 (3>4)", "Layer_0>Layer_0 same 550>550 (3>3)",
                                        "without>without same 7>7 (1>1)"}));
    const std::vector<DeviceTimeRow> modules = deviceTimeRows(comparison, DeviceRowsBy::Module);
    EXPECT_EQ(modules[0].pathA, "Net_0/Layer_1");
    EXPECT_EQ(modules[0].added, 33);
    // The slices of a row are those of the pair that explains most.
    const DeviceTimeRow softmax = deviceTimeRows(comparison, DeviceRowsBy::Kernel)[1];
    EXPECT_EQ(factsB.trace().slice(softmax.sliceB)->data.duration, 130);
    EXPECT_EQ(factsA.trace().slice(softmax.sliceA)->data.duration, 100);
    EXPECT_TRUE(comparison.notes().empty());
}

TEST(DeviceTimeRows, WorkWithoutAPartnerIsInTheRowOfItsName)
{
    const PlannedCall one = kernelCall("k", 10);
    const TraceFacts factsA(oneStep({operatorCall("f", {one}), operatorCall("gone", {one})}));
    const TraceFacts factsB(
        oneStep({operatorCall("new", {kernelCall("other_gemm", 4), one, one}), operatorCall("f", {one})}));
    const Scope a(factsA, {}), b(factsB, {});
    const DeviceComparison comparison(a, b);
    expectSums(comparison);
    const std::vector<DeviceTimeRow> rows = deviceTimeRows(comparison, DeviceRowsBy::Kernel);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rowText(rows[0]), "k>k changed 20>30 (2>3)");
    EXPECT_EQ(rows[0].gone, 10);
    EXPECT_EQ(rows[0].added, 20);
    EXPECT_EQ(rowTexts(comparison, DeviceRowsBy::Operator),
              (std::vector<std::string>{">new new 0>24 (0>1)", "gone> gone 10>0 (1>0)", "f>f same 10>10 (1>1)"}));
}

TEST(DeviceTimeRows, ModulesOfOneSideDoNotKeepCallsApart)
{
    const PlannedCall call = operatorCall("f", {kernelCall("k", 10)}), other = operatorCall("g", {kernelCall("k", 5)});
    const TraceFacts factsA(oneStep({moduleCall("Net_0", {call, other, call})})), factsB(oneStep({call, other, call}));
    const Scope a(factsA, {}), b(factsB, {});
    const DeviceComparison comparison(a, b);
    expectSums(comparison);
    EXPECT_EQ(comparison.counts().same, 3u);
    EXPECT_EQ(comparison.notes().size(), 1u);
    EXPECT_EQ(rowTexts(comparison, DeviceRowsBy::Module),
              (std::vector<std::string>{"Net_0>without changed 25>25 (3>3)"}));
}

TEST(DeviceTimeRows, AModuleElsewhereIsNotRenamed)
{
    const auto net = [](const std::string &around, const std::string &inner) {
        return moduleCall(around, {moduleCall(inner, {operatorCall("f", {kernelCall("k", 10)})})});
    };
    const TraceFacts factsA(oneStep({net("Net_0", "Linear_0"), operatorCall("g", {kernelCall("k", 1)})}));
    const TraceFacts factsB(oneStep({net("Net_1", "Linear_0"), operatorCall("g", {kernelCall("k", 1)})}));
    const TraceFacts factsC(oneStep({net("Net_0", "Linear_1"), operatorCall("g", {kernelCall("k", 1)})}));
    const Scope a(factsA, {}), b(factsB, {}), c(factsC, {});
    const DeviceComparison elsewhere(a, b), renamed(a, c);
    const DeviceTimeRow row = deviceTimeRows(elsewhere, DeviceRowsBy::Module).at(0);
    EXPECT_EQ(rowText(row), "Linear_0>Linear_0 changed 10>10 (1>1)");
    EXPECT_EQ(row.pathA + " " + row.pathB, "Net_0/Linear_0 Net_1/Linear_0");
    EXPECT_EQ(rowTexts(renamed, DeviceRowsBy::Module).at(0), "Linear_0>Linear_1 renamed 10>10 (1>1)");
}

TEST(DeviceTimeRows, DamagedTimesWrapOrSaturate)
{
    constexpr Ns kLong = 8'000'000'000'000'000'000;
    const auto traceOf = [](const std::vector<Ns> &durations) {
        SmallTrace trace;
        const uint32_t main = trace.thread(1);
        for (size_t at = 0; at < durations.size(); ++at) {
            const Ns start = 10 * static_cast<Ns>(at);
            trace.operation(main, "f", start, 8);
            trace.launch(main, start + 1, 2, static_cast<int64_t>(at) + 1);
            trace.kernel(trace.stream(static_cast<int64_t>(at) + 1), "k", start + 3, durations[at],
                         static_cast<int64_t>(at) + 1);
        }
        return trace.seal();
    };
    const TraceFacts factsA(traceOf({kLong, kLong})), factsB(traceOf({kLong}));
    const Scope a(factsA, {}), b(factsB, {});
    const DeviceComparison comparison(a, b);
    ASSERT_LT(comparison.totalA(), 0) << "the sum wraps";
    EXPECT_EQ(comparison.totalB(), kLong);
    for (uint32_t node = 0; node < comparison.a().size(); ++node)
        if (comparison.a().isWork(node)) {
            EXPECT_EQ(comparison.a().total(node), kLong);
        }
    for (const DeviceRowsBy by : kAllRows) {
        const std::vector<DeviceTimeRow> rows = deviceTimeRows(comparison, by);
        ASSERT_EQ(rows.size(), 1u);
        EXPECT_EQ(rows[0].a, comparison.totalA());
        EXPECT_EQ(rows[0].delta(), INT64_MAX) << "as the difference of a table";
    }
}

TEST(DeviceTimeRows, RandomTracesSumAndEqualThemselves)
{
    for (uint32_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        CallPlanner planner(seed + 1'000);
        PlannedTrace planA, planB(3);
        for (int step = 0; step < 3; ++step) {
            std::vector<PlannedCall> main = planner.calls(5, 3), backward = planner.calls(4, 3);
            planA.step(main, backward);
            planA.between(planner.calls(2, 2));
            planner.change(main, 12);
            planB.step(main, backward);
            planB.unlaunched("late", 5);
        }
        const TraceFacts factsA(planA.seal()), factsB(planB.seal());
        std::vector<ScopeRequest> requestsA(3), requestsB(3);
        requestsA[1].stepNumbers = {1};
        requestsB[1].steps = TimeSpan{4, 5};
        requestsA[2].range = TimeSpan{1'050, 1'300};
        requestsB[2].range = TimeSpan{1'070, 1'200};
        for (size_t at = 0; at < requestsA.size(); ++at) {
            const Scope a(factsA, requestsA[at]), b(factsB, requestsB[at]);
            expectSums({a, b});
            const DeviceComparison itself(a, a);
            EXPECT_EQ(itself.counts().renamed + itself.counts().gone + itself.counts().added, 0u);
            for (const DeviceRowsBy by : kAllRows)
                for (const DeviceTimeRow &row : deviceTimeRows(itself, by))
                    EXPECT_EQ(row.state, ChangeState::Same) << rowText(row);
        }
    }
}

TEST(DeviceTimeRowsSlow, DistinctNamesStayBounded)
{
    constexpr int kCalls = 200'000;
    const auto step = [](const std::string &prefix) {
        std::vector<PlannedCall> calls;
        for (int at = 0; at < kCalls; ++at)
            calls.push_back(operatorCall(prefix + std::to_string(at), {kernelCall("k" + std::to_string(at % 4), 5)}));
        return oneStep(calls);
    };
    const TraceFacts factsA(step("f")), factsB(step("g"));
    const Scope a(factsA, {}), b(factsB, {});
    const DeviceComparison comparison(a, b);
    expectSums(comparison);
    const std::vector<DeviceTimeRow> rows = deviceTimeRows(comparison, DeviceRowsBy::Operator);
    std::set<std::string> names;
    for (const DeviceTimeRow &row : rows)
        names.insert({row.nameA, row.nameB});
    EXPECT_GE(names.size(), size_t{2 * kCalls});
}

TEST(DeviceTimeRowsSlow, RealTracesSumAndEqualThemselves)
{
    const char *variable = std::getenv("RIFFLE_TRACES");
    const std::filesystem::path folder = std::filesystem::path(variable ? variable : "../shared/traces") / "kineto";
    if (!std::filesystem::is_directory(folder))
        GTEST_SKIP() << "NO REAL TRACES: set RIFFLE_TRACES. Nothing was compared.";
    std::shared_ptr<const Trace> last;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        const auto trace = importTrace(entry.path().string(), {}, {});
        if (!trace)
            continue;
        SCOPED_TRACE(entry.path().filename().string());
        const TraceFacts facts(*trace);
        const Scope scope(facts, {});
        const DeviceComparison itself(scope, scope);
        expectSums(itself);
        EXPECT_EQ(itself.counts().renamed + itself.counts().gone + itself.counts().added, 0u);
        if (last) { // two traces that have little in common
            const TraceFacts others(last);
            const Scope other(others, {});
            expectSums({other, scope});
        }
        last = *trace;
    }
    // A100 and V100, six steps each. The second one compiles most of the model, so that its calls are others, and its
    // matrix products have other kernels under the same operators.
    const auto control = importTrace((folder / "facebookresearch__control.json.gz").string(), {}, {});
    const auto test = importTrace((folder / "facebookresearch__test.json.gz").string(), {}, {});
    ASSERT_TRUE(control && test);
    const TraceFacts factsA(*control), factsB(*test);
    const Scope a(factsA, {}), b(factsB, {});
    const DeviceComparison comparison(a, b);
    expectSums(comparison);
    const DeviceComparison::Counts &counts = comparison.counts();
    fmt::print("control and test: {} same, {} renamed, {} gone, {} new\n", counts.same, counts.renamed, counts.gone,
               counts.added);
    EXPECT_GT(counts.same, 3'000u);
    EXPECT_GT(counts.renamed, 300u);
}

} // namespace
} // namespace riffle
