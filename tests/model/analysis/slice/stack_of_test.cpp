// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/slice/stack_of.h"

#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(ParseFrame, FileLineAndFunction)
{
    const StackFrame frame = parseFrame(" my project/train.py(22): <module> ");
    EXPECT_EQ(frame.file, "my project/train.py");
    EXPECT_EQ(frame.line, 22);
    EXPECT_EQ(frame.function, "<module>");
    EXPECT_EQ(frame.kind, FrameClass::User);
}

TEST(ParseFrame, ParenthesesInNamesAreNoLines)
{
    const StackFrame frame = parseFrame("code (old)/模型.py(7): forward(x)");
    EXPECT_EQ(frame.file, "code (old)/模型.py");
    EXPECT_EQ(frame.line, 7);
    EXPECT_EQ(frame.function, "forward(x)");
}

TEST(ParseFrame, WithoutAFile)
{
    const StackFrame frame = parseFrame("<built-in method run_backward of torch._C._EngineBase object at 0x7f>");
    EXPECT_TRUE(frame.file.empty());
    EXPECT_EQ(frame.kind, FrameClass::Torch);
    EXPECT_EQ(parseFrame("<built-in function len>").kind, FrameClass::Runtime);
    EXPECT_EQ(parseFrame("nn.Module: Linear_0").kind, FrameClass::User);
    EXPECT_EQ(parseFrame("").function, "");
}

TEST(FramesOfText, PartedBySemicolons)
{
    const auto frames = framesOfText("a.py(1): f;torch/b.py(2): g; ;c.py(3): h");
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[1].file, "torch/b.py");
    EXPECT_EQ(frames[2].line, 3);
    EXPECT_TRUE(framesOfText("").empty());
}

TEST(StackOf, FramesAroundAKernelAreThoseOfItsLaunch)
{
    const auto trace = test::trainingTrace();
    const auto frames = stackOf(*trace, test::sliceNamed(*trace, "sgemm"));
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[0].file, "torch/nn/modules/linear.py");
    EXPECT_EQ(frames[0].kind, FrameClass::Torch);
    EXPECT_EQ(frames[1].text, "nn.Module: Linear_0");
    EXPECT_EQ(frames[2].function, "train");
    EXPECT_EQ(frames[2].slice, test::sliceNamed(*trace, "train.py(20): train"));
}

TEST(StackOf, TheCallStackArgumentWhenThereAreNoFrames)
{
    test::SmallTrace small;
    const uint32_t host = small.thread(1);
    const uint32_t gpu = small.stream(7);
    small.operation(host, "aten::add", 0, 100, R"({"Call stack": "model.py(5): forward;train.py(9): main"})", true);
    small.launch(host, 10, 5, 1);
    small.kernel(gpu, "add", 20, 10, 1);
    const auto trace = small.seal();
    const auto frames = stackOf(*trace, test::sliceNamed(*trace, "add"));
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_EQ(frames[0].text, "model.py(5): forward");
    EXPECT_FALSE(frames[0].slice.valid());
}

} // namespace
} // namespace riffle
