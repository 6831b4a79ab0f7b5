// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/slice/slice_links.h"

#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

class SliceLinksTest : public testing::Test {
protected:
    std::string name(SliceId id) const
    {
        const auto slice = trace->slice(id);
        return slice ? std::string(trace->string(slice->data.name)) : std::string();
    }
    SliceId named(std::string_view text) const { return test::sliceNamed(*trace, text); }

    std::shared_ptr<const Trace> trace = test::trainingTrace();
};

TEST_F(SliceLinksTest, KernelToLaunchOperatorFrameAndModule)
{
    const SliceLinks links = linksOf(*trace, named("sgemm"));
    EXPECT_EQ(name(links.launch), "cudaLaunchKernel");
    EXPECT_EQ(name(links.operation), "aten::mm");
    EXPECT_EQ(name(links.frame), "torch/nn/modules/linear.py(114): forward");
    EXPECT_EQ(name(links.module), "nn.Module: Linear_0");
    EXPECT_FALSE(links.throughForward);
    EXPECT_EQ(links.deviceWorkCount, 0u);
}

TEST_F(SliceLinksTest, OperatorToItsKernelsAndTimeOnTheDevice)
{
    const SliceLinks links = linksOf(*trace, named("aten::linear"));
    ASSERT_EQ(links.deviceWork.size(), 1u);
    EXPECT_EQ(name(links.deviceWork.front()), "sgemm");
    EXPECT_EQ(links.deviceTime, 12'000);
    EXPECT_EQ(name(links.operation), "aten::linear");
    ASSERT_EQ(links.backward.size(), 1u);
    EXPECT_EQ(name(links.backward.front()), "MmBackward0");
    EXPECT_FALSE(links.launch.valid());
}

TEST_F(SliceLinksTest, FrameToAllKernelsBelowIt)
{
    const SliceLinks links = linksOf(*trace, named("train.py(20): train"));
    EXPECT_EQ(links.deviceWorkCount, 1u);
    EXPECT_EQ(name(links.frame), "train.py(20): train");
    EXPECT_FALSE(links.module.valid());
}

TEST_F(SliceLinksTest, LaunchToItsKernel)
{
    const SliceLinks links = linksOf(*trace, named("cudaLaunchKernel"));
    EXPECT_EQ(links.launch, named("cudaLaunchKernel"));
    ASSERT_EQ(links.deviceWork.size(), 1u);
    EXPECT_EQ(links.deviceWorkCount, 1u);
}

TEST_F(SliceLinksTest, BackwardWorkFindsTheCodeOfItsForwardOperator)
{
    const SliceLinks links = linksOf(*trace, named("sgemm_bwd"));
    EXPECT_EQ(name(links.operation), "MmBackward0");
    EXPECT_EQ(name(links.forward), "aten::linear");
    EXPECT_TRUE(links.throughForward);
    EXPECT_EQ(name(links.module), "nn.Module: Linear_0");
}

TEST_F(SliceLinksTest, AnUnknownSliceHasNone)
{
    const SliceLinks links = linksOf(*trace, SliceId(1'000'000));
    EXPECT_FALSE(links.launch.valid());
    EXPECT_FALSE(links.operation.valid());
}

TEST_F(SliceLinksTest, TheListIsBoundedTheCountIsNot)
{
    test::SmallTrace small;
    const uint32_t host = small.thread(1);
    const uint32_t gpu = small.stream(7);
    small.operation(host, "graph", 0, 100'000);
    for (int i = 0; i < 500; ++i) {
        small.launch(host, i * 100, 50, i);
        small.kernel(gpu, "k", i * 100 + 60, 10, i);
    }
    const auto many = small.seal();
    const SliceLinks links = linksOf(*many, test::sliceNamed(*many, "graph"), 20);
    EXPECT_EQ(links.deviceWork.size(), 20u);
    EXPECT_EQ(links.deviceWorkCount, 500u);
    EXPECT_EQ(links.deviceTime, 5000);
}

} // namespace
} // namespace riffle
