// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Tests the evidence of ranges that the program marked.
#include "tests/model/analysis/memory/category_job.h"

#include <gtest/gtest.h>

using namespace riffle;
using namespace riffle::test;

namespace {

using Frames = CategoryJob::Frames;

const SmallStacks::Frame kTrain{"train", "/me/train.py", 3};
const Frames kModel{{"forward", "/me/model.py", 8}, kTrain}, kEngine{{"torch::autograd::Engine::thread_main", "??", 0}};
const std::string kStep = "Optimizer.step#AdamW.step", kZero = "Optimizer.zero_grad#AdamW.zero_grad";

std::string only(const CategoryJob::Found &found, uint64_t address) { return found.find(address)->second; }

} // namespace

TEST(ProgramRanges, TellAnOptimizersMemoryInAHistoryWithoutStacks)
{
    CategoryJob job;
    job.alloc(1, 100, {});
    job.mark(kStep, "START");
    job.alloc(2, 100, {});
    job.alloc(3, 100, {});
    job.give(3, 100, {});
    job.mark(kStep, "END");
    job.alloc(4, 100, {});
    job.mark("my range", "START");
    job.alloc(5, 100, {});
    job.mark("my range", "END");
    job.mark(kStep, "START"); // never ends
    job.alloc(6, 100, {});
    const auto found = job.categories();
    EXPECT_EQ(only(found, 2), "optimizer_state");
    EXPECT_EQ(only(found, 3), "temporary");
    EXPECT_EQ(only(found, 6), "optimizer_state");
    for (const uint64_t outside : {1, 4, 5})
        EXPECT_EQ(only(found, outside), "unknown") << outside;
}

TEST(ProgramRanges, OfAStepThatRunsAClosureSayNothing)
{
    CategoryJob job;
    job.mark(kStep, "START");
    job.alloc(1, 100, {});
    job.mark(kZero, "START");
    job.give(2, 100, {});
    job.mark(kZero, "END");
    job.mark(kStep, "END");
    const auto found = job.categories();
    EXPECT_EQ(only(found, 1), "unknown");
    EXPECT_EQ(only(found, 2), "gradient") << "zero_grad freed it";
}

TEST(ProgramRanges, ShowThatAGradientWasKeptUntilAStepThatAllocatesNothing)
{
    CategoryJob job;
    job.alloc(1, 100, kModel);
    job.alloc(2, 100, kEngine);
    job.alloc(3, 100, kEngine);
    job.give(3, 100, kEngine);
    job.mark(kStep, "START");
    job.mark(kStep, "END");
    job.give(2, 100, {kTrain});
    const auto found = job.categories();
    EXPECT_EQ(only(found, 2), "gradient");
    EXPECT_EQ(only(found, 3), "autograd_detail");
}

TEST(ProgramRanges, DoNotOverruleStacks)
{
    CategoryJob job;
    job.mark(kStep, "START");
    job.alloc(1, 100, kModel);
    job.mark(kStep, "END");
    EXPECT_EQ(only(job.categories(), 1), "activation");
}
