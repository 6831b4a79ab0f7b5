// SPDX-FileCopyrightText: The Riffle authors SPDX-License-Identifier: Apache-2.0 Tests single built-in rules on small
// histories whose truth is known.
#include "tests/model/analysis/memory/category_job.h"

#include <gtest/gtest.h>

using namespace riffle;
using namespace riffle::test;

namespace {

using Job = CategoryJob;
using Frames = CategoryJob::Frames;

const SmallStacks::Frame kMain{"main", "/me/train.py", 9};
Frames inStep(int32_t line) { return {{"step", "/me/cs336/optimizer.py", line}, kMain}; }
const Frames kForward{{"forward", "/me/model.py", 4}, kMain},
    kBackward{{"backward", "/lib/torch/_tensor.py", 600}, kMain},
    kZeroGrad{{"zero_grad", "/lib/torch/optim/optimizer.py", 9}, kMain};
using Found = CategoryJob::Found;

/// A custom optimizer that allocates the two states of each parameter again and frees the old ones one parameter later.
void replacingStep(Job &job, uint64_t old, uint64_t fresh, uint64_t parameters)
{
    for (uint64_t at = 0; at < parameters; ++at) {
        for (uint64_t state = 0; state < 2 && at > 0; ++state)
            job.give(old + 10 * (at - 1) + state, 1000, inStep(73 + static_cast<int32_t>(state)));
        for (uint64_t state = 0; state < 2; ++state) {
            job.alloc(5, 1000, inStep(76));
            job.alloc(fresh + 10 * at + state, 1000, inStep(76 + static_cast<int32_t>(state)));
            job.give(5, 1000, inStep(76));
        }
    }
}

} // namespace

TEST(CategoryRules, StatesThatAStepMakesAnewAreNoGradients)
{
    Job job;
    job.alloc(1, 64, kForward);
    job.alloc(2, 64, kBackward);
    replacingStep(job, 100, 200, 3);
    for (uint64_t at = 120; at < 122; ++at) // the states of the last parameter, freed after the step
        job.give(at, 1000, {kMain});
    job.give(300, 500, kZeroGrad);
    const Found found = job.categories();
    for (const uint64_t old : {100, 101, 110, 111})
        EXPECT_EQ(found.find(old)->second, "optimizer_state") << old;
    for (const uint64_t fresh : {200, 201, 210, 211, 220, 221})
        EXPECT_EQ(found.find(fresh)->second, "optimizer_state") << fresh;
    EXPECT_EQ(found.find(120)->second, "unknown");
    EXPECT_EQ(found.find(300)->second, "gradient") << "zero_grad shows that it is a gradient";
    EXPECT_EQ(found.find(5)->second, "temporary");
}

TEST(CategoryRules, WhatAStepGivesBackWithoutMakingAsMuchIsUnknown)
{
    Job job;
    job.give(100, 1000, inStep(20));
    job.give(110, 1000, inStep(20));
    job.alloc(200, 1000, inStep(30)); // one allocation for two frees
    job.alloc(1, 64, kForward);
    job.give(120, 1000, inStep(20)); // a first step that allocates two states per gradient
    job.alloc(210, 1000, inStep(30));
    job.alloc(211, 1000, inStep(30));
    const Found found = job.categories();
    for (const uint64_t old : {100, 110, 120})
        EXPECT_EQ(found.find(old)->second, "unknown") << old;
}

TEST(CategoryRules, StatesThatLiveUntilTheNextStepAreNotTemporary)
{
    Job job;
    replacingStep(job, 100, 200, 3);
    job.alloc(1, 64, kForward);
    job.alloc(2, 64, kBackward);
    replacingStep(job, 200, 300, 3);
    const Found found = job.categories();
    for (const uint64_t one : {200, 201, 210, 211, 300, 321})
        EXPECT_EQ(found.find(one)->second, "optimizer_state") << one;
    EXPECT_EQ(found.find(5)->second, "temporary");
}

TEST(CategoryRules, OfDataParallelismReplicasAndPartsOfBatchesAreNoActivations)
{
    const SmallStacks::Frame call{"_call_impl", "/lib/torch/nn/modules/module.py", 1784},
        parallel{"forward", "/lib/torch_geometric/nn/data_parallel.py", 90};
    const Frames replica{{"broadcast_coalesced", "/lib/torch/nn/parallel/comm.py", 66},
                         {"forward", "/lib/torch/nn/parallel/_functions.py", 23},
                         {"apply", "/lib/torch/autograd/function.py", 576},
                         {"replicate", "/lib/torch/nn/parallel/replicate.py", 126},
                         {"replicate", "/lib/torch/nn/parallel/data_parallel.py", 200},
                         parallel,
                         call,
                         kMain};
    const Frames part{{"recursive_apply", "/lib/torch_geometric/data/storage.py", 897},
                      {"to", "/lib/torch_geometric/data/data.py", 362},
                      {"scatter", "/lib/torch_geometric/nn/data_parallel.py", 106},
                      parallel,
                      call,
                      kMain};
    const Frames inModel{{"forward", "/me/net.py", 5}, call, parallel, call, kMain},
        batch{{"to", "/me/batch.py", 12}, kMain}, cast{{"to", "/me/batch.py", 12}, {"forward", "/me/net.py", 5}, kMain};
    Job job;
    job.alloc(100, 10, replica);
    job.alloc(200, 10, part);
    job.alloc(300, 10, inModel);
    job.alloc(400, 10, batch);
    job.alloc(500, 10, cast);
    job.alloc(600, 10, kBackward);
    for (const uint64_t one : {100, 200, 300, 500})
        job.give(one, 10, kBackward);
    const Found found = job.categories();
    EXPECT_EQ(found.find(100)->second, "parameter_copy");
    EXPECT_EQ(found.find(200)->second, "input");
    EXPECT_EQ(found.find(300)->second, "activation");
    EXPECT_EQ(found.find(400)->second, "input");
    EXPECT_EQ(found.find(500)->second, "activation") << "allocated inside a module";
}
