// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/operators/stack_tree.h"
#include "model/analysis/operators/tree_order.h"
#include "model/analysis/summary/summary_views.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using test::SmallTrace;

struct Stacks {
    Stacks(std::shared_ptr<const Trace> trace, const char *groupBy, const ScopeRequest &request = {})
        : facts(std::move(trace))
        , scope(facts, request)
        , table(moduleTable(scope, groupBy))
    {
    }
    /// The rows as "depth name".
    std::vector<std::string> rows() const
    {
        std::vector<std::string> texts;
        for (size_t row = 0; row < table.rows(); ++row)
            texts.push_back(std::to_string(table.depth[row]) + " " + table.column("name")->texts[row]);
        return texts;
    }
    std::vector<int64_t> column(const char *key) const { return table.column(key)->integers; }

    TraceFacts facts;
    Scope scope;
    ResultTable table;
};

/// main calls f twice, once with an operator inside an operator, whose backward pass runs on another thread.
std::shared_ptr<const Trace> calls()
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1), autograd = trace.thread(2), gpu = trace.stream(7);
    trace.frame(main, "main", 0, 1000);
    trace.frame(main, "f", 100, 200);
    trace.operation(main, "aten::linear", 110, 100);
    trace.numbered(main, "aten::addmm", 120, 50, 1);
    trace.launch(main, 130, 10, 1);
    trace.kernel(gpu, "gemm", 200, 30, 1);
    trace.frame(main, "f", 400, 100);
    trace.launch(main, 410, 10, 2); // in no operator
    trace.kernel(gpu, "bare", 500, 7, 2);
    trace.frame(main, "g", 600, 50);
    trace.numbered(autograd, "AddmmBackward0", 700, 80, 1, 1);
    trace.launch(autograd, 710, 10, 3);
    trace.kernel(gpu, "gemm_backward", 800, 60, 3);
    trace.operation(autograd, "aten::lost", 900, 20);
    trace.launch(autograd, 905, 5, 4);
    trace.kernel(gpu, "lost", 950, 1, 4);
    return trace.seal();
}

TEST(StackTree, FramesWithTheirTimes)
{
    const Stacks stacks(calls(), "stack");
    EXPECT_EQ(stacks.rows(), (std::vector<std::string>{"0 main", "1 f", "1 g"}));
    EXPECT_EQ(stacks.column("occurrences"), (std::vector<int64_t>{1, 2, 1}));
    EXPECT_EQ(stacks.column("operators"), (std::vector<int64_t>{0, 3, 0}));
    EXPECT_EQ(stacks.column("host_total_ns"), (std::vector<int64_t>{1000, 300, 50}));
    EXPECT_EQ(stacks.column("host_self_ns"), (std::vector<int64_t>{650, 300, 50}));
    EXPECT_EQ(stacks.column("device_total_ns"), (std::vector<int64_t>{97, 97, 0}));
    EXPECT_EQ(stacks.column("device_self_ns"), (std::vector<int64_t>{0, 97, 0}));
    EXPECT_EQ(stacks.column("device_backward_ns"), (std::vector<int64_t>{60, 60, 0}));
    ASSERT_EQ(stacks.table.notes.size(), 1u); // about the launch in no operator
    EXPECT_EQ(stacks.table.notes.front(), "1\u00A0ns of device time has no call stack.");
}

TEST(StackTree, OperatorsBelowTheirFrames)
{
    const Stacks stacks(calls(), "stack,operators");
    EXPECT_EQ(stacks.rows(), (std::vector<std::string>{"0 main", "1 f", "2 aten::linear", "3 aten::addmm",
                                                       "2 AddmmBackward0", "0 aten::lost"}));
    EXPECT_EQ(stacks.column("host_self_ns"), (std::vector<int64_t>{0, 0, 50, 50, 80, 20}));
    EXPECT_EQ(stacks.column("host_total_ns"), (std::vector<int64_t>{180, 180, 100, 50, 80, 20}));
    EXPECT_EQ(stacks.column("device_self_ns"), (std::vector<int64_t>{0, 7, 0, 30, 60, 1}));
    EXPECT_EQ(stacks.column("device_total_ns"), (std::vector<int64_t>{97, 97, 30, 30, 60, 1}));
    EXPECT_TRUE(stacks.table.notes.empty());
}

TEST(StackTree, ARangeClipsTheHostAndTakesWhatWasLaunchedInside)
{
    ScopeRequest request;
    request.range = TimeSpan{150, 450};
    const Stacks stacks(calls(), "stack", request);
    EXPECT_EQ(stacks.rows(), (std::vector<std::string>{"0 main", "1 f"}));
    EXPECT_EQ(stacks.column("occurrences"), (std::vector<int64_t>{0, 1}));
    EXPECT_EQ(stacks.column("host_total_ns"), (std::vector<int64_t>{300, 150 + 50}));
    EXPECT_EQ(stacks.column("device_total_ns"), (std::vector<int64_t>{7, 7}));
}

TEST(StackTree, RowsLeadToTheirCallsAndBack)
{
    const Stacks stacks(calls(), "stack,operators");
    const Trace &trace = stacks.facts.trace();
    size_t found = 0;
    for (uint32_t row = 0; row < stacks.table.rows(); ++row)
        for (const SliceRef &slice : stacks.table.slices->slicesOf(row)) {
            EXPECT_EQ(trace.string(trace.slice(slice.slice)->data.name), stacks.table.column("name")->texts[row]);
            EXPECT_EQ(stacks.table.slices->rowOf(slice), row);
            ++found;
        }
    EXPECT_EQ(found, 3u + 4u); // frames that lead to operators, and the operators
}

TEST(StackTree, WithoutFramesItSaysWhatTurnsThemOn)
{
    SmallTrace trace;
    trace.operation(trace.thread(1), "aten::add", 0, 10);
    const Stacks stacks(trace.seal(), "stack,operators");
    EXPECT_EQ(stacks.table.rows(), 0u);
    EXPECT_NE(stacks.table.absence.find("with_stack=True"), std::string::npos);
}

TEST(TreeOrder, EachBehindWhatItIsInAndSiblingsByTheirFirst)
{
    const uint32_t none = UINT32_MAX;
    const std::vector<uint32_t> parents{none, 0, 0, 1, none, 4};
    const TreeOrder all = treeOrder(parents, {1, 1, 1, 1, 1, 1}, {50, 60, 55, 70, 90, 10});
    EXPECT_EQ(all.nodes, (std::vector<uint32_t>{4, 5, 0, 2, 1, 3})); // the position of 5 determines that of 4
    EXPECT_EQ(all.depth, (std::vector<uint32_t>{0, 1, 0, 1, 1, 2}));
    const TreeOrder some = treeOrder(parents, {0, 0, 0, 1, 0, 0}, {50, 60, 55, 70, 90, 10});
    EXPECT_EQ(some.nodes, (std::vector<uint32_t>{0, 1, 3}));
    EXPECT_TRUE(treeOrder({}, {}, {}).nodes.empty());
}

} // namespace
} // namespace riffle
