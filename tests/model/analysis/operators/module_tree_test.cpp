// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/operators/module_tree.h"
#include "model/analysis/summary/summary_views.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using test::SmallTrace;

struct Modules {
    explicit Modules(std::shared_ptr<const Trace> trace, const ScopeRequest &request = {})
        : facts(std::move(trace))
        , scope(facts, request)
        , table(moduleTable(scope, {}))
    {
    }
    std::vector<std::string> names() const
    {
        return table.columns.empty() ? std::vector<std::string>() : table.column("name")->texts;
    }
    int64_t cell(const char *path, const char *key) const
    {
        const auto &paths = table.column("path")->texts;
        const auto found = std::find(paths.begin(), paths.end(), path);
        return found == paths.end() ? kNoInt : table.column(key)->integers[static_cast<size_t>(found - paths.begin())];
    }

    TraceFacts facts;
    Scope scope;
    ResultTable table;
};

/// A net that is called twice: Net (ReLU, Linear), with the backward pass of the first call, and a kernel that belongs
/// to no module.
std::shared_ptr<const Trace> net()
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1), autograd = trace.thread(2), gpu = trace.stream(7);
    for (int call = 0; call < 2; ++call) {
        const Ns at = call * 1000;
        trace.frame(main, "nn.Module: Net_0", at, 500, 0);
        trace.frame(main, "net.py(1): forward", at + 1, 490);
        trace.operation(main, "aten::zeros", at + 2, 5);
        trace.frame(main, "nn.Module: ReLU_0", at + 10, 100, 1);
        trace.numbered(main, "aten::relu", at + 20, 50, 10 + call);
        trace.launch(main, at + 30, 10, 1 + call * 10);
        trace.kernel(gpu, "relu", at + 200, 40, 1 + call * 10);
        trace.frame(main, "nn.Module: Linear_0", at + 150, 200, 2);
        trace.operation(main, "aten::linear", at + 160, 100);
        trace.operation(main, "aten::addmm", at + 170, 50);
        trace.launch(main, at + 180, 10, 2 + call * 10);
        trace.kernel(gpu, "gemm", at + 300, 70, 2 + call * 10);
    }
    trace.numbered(autograd, "ReluBackward0", 600, 100, 10, 1);
    trace.launch(autograd, 620, 10, 5);
    trace.kernel(gpu, "relu_backward", 700, 25, 5);
    trace.launch(main, 1800, 10, 6);
    trace.kernel(gpu, "alone", 1900, 3, 6);
    return trace.seal();
}

TEST(ModuleTree, TimesOfModulesAndThoseInside)
{
    const Modules modules(net());
    EXPECT_EQ(modules.names(), (std::vector<std::string>{"Net_0", "ReLU_0", "Linear_0"}));
    EXPECT_EQ(modules.table.depth, (std::vector<uint32_t>{0, 1, 1}));
    EXPECT_EQ(modules.cell("Net_0", "occurrences"), 2);
    EXPECT_EQ(modules.cell("Net_0", "module_id"), 0);
    EXPECT_EQ(modules.cell("Net_0", "operators"), 2);
    EXPECT_EQ(modules.cell("Net_0/ReLU_0", "operators"), 3); // including the backward operator
    EXPECT_EQ(modules.cell("Net_0/Linear_0", "operators"), 4);
    EXPECT_EQ(modules.cell("Net_0", "host_total_ns"), 1000);
    EXPECT_EQ(modules.cell("Net_0", "host_self_ns"), 1000 - 2 * (100 + 200));
    EXPECT_EQ(modules.cell("Net_0/Linear_0", "host_self_ns"), 400);
    EXPECT_EQ(modules.cell("Net_0", "device_self_ns"), 0);
    EXPECT_EQ(modules.cell("Net_0", "device_total_ns"), 2 * (40 + 70) + 25);
    EXPECT_EQ(modules.cell("Net_0", "device_backward_ns"), 25);
    EXPECT_EQ(modules.cell("Net_0/ReLU_0", "device_self_ns"), 2 * 40 + 25);
    EXPECT_EQ(modules.cell("Net_0/ReLU_0", "device_backward_ns"), 25);
    EXPECT_EQ(modules.cell("Net_0/Linear_0", "device_backward_ns"), 0);
    ASSERT_EQ(modules.table.notes.size(), 1u);
    EXPECT_EQ(modules.table.notes.front(), "0 operators and 3\u00A0ns of device time belong to no module.");
}

TEST(ModuleTree, ARangeClipsTheHostAndTakesWhatWasLaunchedInside)
{
    ScopeRequest request;
    request.range = TimeSpan{1100, 1200}; // inside the second call: after ReLU_0's launch, with Linear_0's
    const Modules modules(net(), request);
    EXPECT_EQ(modules.cell("Net_0", "occurrences"), 0);
    EXPECT_EQ(modules.cell("Net_0", "cut"), 1);
    EXPECT_EQ(modules.cell("Net_0", "host_total_ns"), 100);
    EXPECT_EQ(modules.cell("Net_0", "host_self_ns"), 100 - 10 - 50);
    EXPECT_EQ(modules.cell("Net_0/ReLU_0", "host_total_ns"), 10);
    EXPECT_EQ(modules.cell("Net_0/ReLU_0", "device_total_ns"), 0);
    EXPECT_EQ(modules.cell("Net_0/Linear_0", "occurrences"), 1);
    EXPECT_EQ(modules.cell("Net_0/Linear_0", "operators"), 2);
    EXPECT_EQ(modules.cell("Net_0", "device_total_ns"), 70);
    EXPECT_TRUE(modules.table.absence.empty());
}

TEST(ModuleTree, WhereNothingIsCalledThereAreNoRows)
{
    ScopeRequest request;
    request.range = TimeSpan{1850, 1890};
    const Modules modules(net(), request);
    EXPECT_EQ(modules.table.rows(), 0u);
    EXPECT_EQ(modules.table.absence, "No module was called in the selection.");
}

TEST(ModuleTree, ModulesInsideThatCrossAreTakenOffOnce)
{
    SmallTrace trace;
    const uint32_t lane = trace.thread(1);
    trace.frame(lane, "nn.Module: Net_0", 0, 1000, 0);
    trace.frame(lane, "nn.Module: A_0", 100, 300, 1);
    trace.frame(lane, "nn.Module: B_0", 300, 200, 2); // both cover 100 ns
    const Modules modules(trace.seal());
    EXPECT_EQ(modules.cell("Net_0", "host_self_ns"), 600);
    EXPECT_EQ(modules.cell("Net_0/A_0", "host_self_ns"), 300);
    EXPECT_EQ(modules.cell("Net_0/B_0", "host_self_ns"), 200);
}

TEST(ModuleTree, RowsLeadToTheCallsAndBack)
{
    const Modules modules(net());
    const Trace &trace = modules.facts.trace();
    ASSERT_TRUE(modules.table.slices);
    for (uint32_t row = 0; row < modules.table.rows(); ++row) {
        const auto slices = modules.table.slices->slicesOf(row);
        ASSERT_EQ(slices.size(), 2u);
        for (const SliceRef &slice : slices) {
            EXPECT_EQ(trace.string(trace.slice(slice.slice)->data.name), "nn.Module: " + modules.names()[row]);
            EXPECT_EQ(modules.table.slices->rowOf(slice), row);
        }
    }
}

TEST(ModuleTree, WithoutModulesItSaysWhatTurnsThemOn)
{
    const Modules modules([] {
        SmallTrace trace;
        trace.operation(trace.thread(1), "aten::add", 0, 10);
        return trace.seal();
    }());
    EXPECT_EQ(modules.table.rows(), 0u);
    for (const char *option : {"with_stack=True", "with_modules=True", "--torch-profile-with-stack"})
        EXPECT_NE(modules.table.absence.find(option), std::string::npos);
}

} // namespace
} // namespace riffle
