// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Tests what is inferred from sizes alone.
#include "tests/model/analysis/memory/category_job.h"

#include <gtest/gtest.h>

using namespace riffle;
using namespace riffle::test;

namespace {

using Frames = CategoryJob::Frames;

const SmallStacks::Frame kLoop{"train", "/me/train.py", 3};
const Frames kEngineStack{{"torch::autograd::Engine::thread_main", "??", 0}},
    kOptimizer{{"step", "/lib/torch/optim/adamw.py", 220}, kLoop},
    kZeroGrad{{"zero_grad", "/lib/torch/optim/optimizer.py", 9}, kLoop};

/// Two steps with a gradient of each size.
void twoSteps(CategoryJob &job, const std::vector<int64_t> &sizes)
{
    for (uint64_t step = 0; step < 2; ++step) {
        const uint64_t first = 1000 * (step + 1);
        for (size_t at = 0; at < sizes.size(); ++at)
            job.alloc(first + at, sizes[at], kEngineStack);
        job.alloc(1, 8, kOptimizer);
        job.give(1, 8, kOptimizer);
        for (size_t at = 0; at < sizes.size(); ++at)
            job.give(first + at, sizes[at], kZeroGrad);
    }
}

std::string at(const CategoryJob::Found &found, uint64_t address) { return found.find(address)->second; }

} // namespace

TEST(SizeInference, AsManyOldAllocationsAsGradientsAreParameters)
{
    CategoryJob job;
    for (const uint64_t one : {10, 20, 30})
        job.before(one, 5000);
    job.before(40, 700);
    job.before(50, 12345);
    twoSteps(job, {5000, 5000, 5000, 700});
    const auto found = job.categories(), rules = job.deciding();
    for (const uint64_t one : {10, 20, 30, 40})
        EXPECT_EQ(at(found, one), "parameter (inferred)") << one;
    EXPECT_EQ(at(rules, 10),
              "from before the history, as many of its size as gradients (fits 100 % of the gradient bytes)");
    EXPECT_EQ(at(found, 50), "unknown") << "no gradient has this size";
    EXPECT_EQ(at(rules, 50), "from before the history, without a stack");
}

TEST(SizeInference, AFewMatchesMayBeChance)
{
    CategoryJob job;
    job.before(10, 5000);
    twoSteps(job, {5000, 9000});
    EXPECT_EQ(at(job.categories(), 10), "unknown")
        << "the parameter of 9,000 bytes is not there, so 36 % of the bytes fit";
}

TEST(SizeInference, NineTenthsOfTheBytesAreEnough)
{
    CategoryJob job;
    job.before(10, 9000);
    twoSteps(job, {9000, 999});
    EXPECT_EQ(at(job.categories(), 10), "parameter (inferred)");
    EXPECT_EQ(
        at(job.deciding(), 10),
        "from before the history, as many of its size as gradients (fits 90 % of the gradient bytes)"); // 9000 / 9999
}

TEST(SizeInference, MoreOldAllocationsThanGradientsMayBeStates)
{
    CategoryJob job;
    for (const uint64_t one : {10, 11, 12})
        job.before(one, 5000);
    for (uint64_t one = 20; one < 24; ++one)
        job.before(one, 300);
    job.before(30, 5001);
    twoSteps(job, {5000, 300, 5001});
    const auto found = job.categories();
    EXPECT_EQ(at(found, 10), "parameter_or_optimizer_state (inferred)");
    EXPECT_EQ(at(found, 20), "unknown") << "four for one gradient";
    EXPECT_EQ(at(found, 30), "parameter (inferred)");
}

TEST(SizeInference, StatesOfASizeAreKnownAlready)
{
    CategoryJob job;
    for (const uint64_t one : {10, 11})
        job.before(one, 5000);
    job.alloc(500, 5000, kOptimizer);
    twoSteps(job, {5000});
    EXPECT_EQ(at(job.categories(), 10), "unknown") << "one of the two is the parameter, the other one is not a state";
}

TEST(SizeInference, WhatIsFreedOrHasAStackIsNotJudgedByItsSize)
{
    CategoryJob job;
    job.before(10, 5000);
    job.give(11, 5000, {kLoop});
    job.alloc(12, 5000, {kLoop});
    twoSteps(job, {5000});
    const auto found = job.categories();
    EXPECT_EQ(at(found, 10), "parameter (inferred)");
    EXPECT_EQ(at(found, 11), "unknown");
    EXPECT_EQ(at(found, 12), "unknown");
}

TEST(SizeInference, TheWorkspaceOfCublasHasASizeOfItsOwn)
{
    CategoryJob job;
    job.before(10, 8'519'680);
    job.before(11, 8'519'681);
    job.alloc(12, 8, {kLoop});
    const auto found = job.categories();
    EXPECT_EQ(at(found, 10), "workspace (inferred)");
    EXPECT_EQ(at(found, 11), "unknown");
}

TEST(SizeInference, RulesOfUsersNameTheirOwnCategories)
{
    const auto rules = MemoryRules::parse(
        R"({"sets": {"b": ["torch::autograd::*"]}, "rules": [{"name": "grads", "category": "g", "allocated_in": ["b"]},
            {"name": "like grads", "category": "w", "sized_like": "g", "at_most_each": 2}]})",
        "f");
    ASSERT_TRUE(rules);
    CategoryJob job;
    job.before(10, 5000);
    job.before(11, 5000);
    twoSteps(job, {5000});
    EXPECT_EQ(at(job.categories(*rules), 10), "w (inferred)");
    EXPECT_EQ(at(job.deciding(*rules), 11), "like grads (fits 100 % of the g bytes)");
}
