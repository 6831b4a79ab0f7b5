// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Tests the built-in rules on stacks as vLLM, Megatron, Lightning and PyTorch's own optimizers leave them.
#include "tests/model/analysis/memory/category_job.h"

#include <gtest/gtest.h>

using namespace riffle;
using namespace riffle::test;

namespace {

using Frames = CategoryJob::Frames;

const SmallStacks::Frame kScript{"<module>", "/me/run.py", 3},
    kCall{"_call_impl", "/lib/torch/nn/modules/module.py", 1784},
    kWrapper{"wrapper", "/lib/torch/optim/optimizer.py", 484};
const Frames kInForward{{"forward", "/lib/vllm/model_executor/layers/linear.py", 300}, kCall, kScript},
    kInBackward{{"backward", "/lib/torch/_tensor.py", 600}, kScript};

std::string categoryAt(const CategoryJob::Found &found, uint64_t address) { return found.find(address)->second; }

} // namespace

TEST(FrameworkRules, AKvCacheIsNoParameterThoughConstructorsAllocateIt)
{
    const SmallStacks::Frame engine{"__init__", "/lib/vllm/engine/llm_engine.py", 281},
        initialize{"_initialize_kv_caches", "/lib/vllm/engine/llm_engine.py", 441};
    CategoryJob job;
    job.alloc(1, 1 << 30,
              {{"_allocate_kv_cache", "/lib/vllm/worker/cache_engine.py", 93},
               {"__init__", "/lib/vllm/worker/cache_engine.py", 68},
               initialize,
               engine,
               kScript});
    job.alloc(2, 1 << 30,
              {{"_allocate_kv_cache_tensors", "/lib/vllm/v1/worker/gpu_model_runner.py", 4100},
               {"initialize_kv_cache_tensors", "/lib/vllm/v1/worker/gpu_model_runner.py", 4300},
               {"initialize_kv_cache", "/lib/vllm/v1/worker/gpu_model_runner.py", 4400},
               engine});
    job.alloc(3, 1 << 30,
              {{"_create_buffers", "/lib/sglang/srt/mem_cache/memory_pool.py", 300},
               {"__init__", "/lib/sglang/srt/mem_cache/memory_pool.py", 250}});
    // The run that measures how much memory the model needs happens while the cache is being initialized.
    Frames measured = kInForward;
    measured.insert(measured.end(), {initialize, engine});
    job.alloc(4, 5000, measured);
    job.give(4, 5000, measured);
    // Attention of transformers extends the cache by each token.
    job.alloc(5, 4096, {{"update", "/lib/transformers/cache_utils.py", 120}, kScript});
    job.give(5, 4096, {{"update", "/lib/transformers/cache_utils.py", 120}, kScript});
    const auto found = job.categories();
    for (const uint64_t cache : {1, 2, 3, 5})
        EXPECT_EQ(categoryAt(found, cache), "kv_cache") << cache;
    EXPECT_EQ(categoryAt(found, 4), "temporary");
}

TEST(FrameworkRules, ACacheThatTheBackwardPassFreesIsAnActivation)
{
    CategoryJob job;
    job.alloc(1, 4096, {{"update", "/lib/transformers/cache_utils.py", 120}, {"forward", "/me/llama.py", 9}, kCall});
    job.give(1, 4096, kInBackward);
    EXPECT_EQ(categoryAt(job.categories(), 1), "activation");
}

TEST(FrameworkRules, AConstructorMakesParametersOnlyIfItsFileHasModules)
{
    const SmallStacks::Frame linear{"__init__", "/lib/vllm/model_executor/layers/linear.py", 90};
    CategoryJob job;
    job.alloc(1, 4096, {linear, kScript});                                            // a parameter or buffer
    job.alloc(2, 4, {{"at::_ops::to_dtype_layout::call", "??", 0}, linear, kScript}); // a constant of attention
    job.alloc(3, 4096, {{"__init__", "/me/replay_buffer.py", 8}, kScript});
    job.alloc(4, 4096, {{"__init__", "/me/flash.py", 8}, kScript});
    job.alloc(5, 64, kInForward);
    job.alloc(6, 64, {{"forward", "/me/flash.py", 30}, {"apply", "/lib/torch/autograd/function.py", 575}, kCall});
    const auto found = job.categories();
    EXPECT_EQ(categoryAt(found, 1), "parameter");
    EXPECT_EQ(categoryAt(found, 2), "parameter");
    EXPECT_EQ(categoryAt(found, 3), "unknown");
    EXPECT_EQ(categoryAt(found, 4), "unknown") << "the file has an autograd function, but no module";
}

TEST(FrameworkRules, MegatronsFlatBuffersHoldParametersAndGradientsAndItsOptimizerMainParameters)
{
    const SmallStacks::Frame setup{"setup_model_and_optimizer", "/lib/megatron/training/training.py", 700};
    const std::string folder = "/lib/megatron/core/";
    CategoryJob job;
    const auto buffer = [&](int32_t line) {
        return Frames{{"at::_ops::zeros::call", "??", 0},
                      {"__init__", folder + "distributed/param_and_grad_buffer.py", line},
                      {"_allocate_buffers_for_parameters", folder + "distributed/distributed_data_parallel.py", 200},
                      {"__init__", folder + "distributed/distributed_data_parallel.py", 250},
                      setup};
    };
    for (const uint64_t at : {10, 20}) { // dense layers and experts
        job.alloc(at, 2000, buffer(590));
        job.give(at + 2, 500, buffer(600)); // a parameter moves into the buffer
        job.alloc(at + 1, 4000, buffer(596));
    }
    const Frames groups{{"_build_model_and_main_param_groups", folder + "optimizer/distrib_optimizer.py", 360},
                        {"__init__", folder + "optimizer/distrib_optimizer.py", 520},
                        setup};
    Frames copy = groups;
    copy.insert(copy.begin(), {"at::_ops::_to_copy::call", "??", 0});
    job.alloc(2, 1000, groups); // the clone before the conversion
    job.alloc(3, 2000, copy);
    job.give(2, 1000, groups);
    job.alloc(4, 64, {{"forward", folder + "distributed/distributed_data_parallel.py", 300}, kCall});
    const auto found = job.categories();
    for (const uint64_t at : {10, 20}) {
        EXPECT_EQ(categoryAt(found, at), "parameter");
        EXPECT_EQ(categoryAt(found, at + 1), "gradient");
    }
    EXPECT_EQ(categoryAt(found, 2), "temporary");
    EXPECT_EQ(categoryAt(found, 3), "optimizer_state");
}

TEST(FrameworkRules, MegatronsBuffersWithoutADistributedOptimizerAreGradients)
{
    const Frames buffer{{"__init__", "/lib/megatron/core/distributed/param_and_grad_buffer.py", 596},
                        {"__init__", "/lib/megatron/core/distributed/distributed_data_parallel.py", 250}};
    CategoryJob job;
    job.alloc(1, 4000, buffer);
    job.alloc(2, 4000, buffer);
    job.alloc(3, 64, {{"init", "/me/run.py", 700}});
    const auto found = job.categories();
    EXPECT_EQ(categoryAt(found, 1), "gradient");
    EXPECT_EQ(categoryAt(found, 2), "gradient");
}

TEST(FrameworkRules, AnOptimizerIsKnownByTheWrapperThatPyTorchPutsAroundItsStep)
{
    const Frames step{{"update", "/me/muon.py", 40},
                      {"step", "/me/muon.py", 30},
                      kWrapper,
                      {"training_step", "/me/train.py", 12},
                      kScript};
    CategoryJob job;
    job.alloc(1, 1000, step); // kept: a state
    job.alloc(2, 1000, step);
    job.give(2, 1000, step);
    const auto found = job.categories();
    EXPECT_EQ(categoryAt(found, 1), "optimizer_state");
    EXPECT_EQ(categoryAt(found, 2), "temporary");
}

TEST(FrameworkRules, WhatAClosureDoesInsideAStepIsNotTheOptimizers)
{
    const Frames step{{"step", "/lib/torch/optim/adamw.py", 220}, kWrapper, kScript},
        closure{{"closure", "/lib/lightning/pytorch/loops/optimization/automatic.py", 126},
                {"step", "/lib/torch/optim/adamw.py", 215},
                kWrapper,
                kScript},
        engine{{"torch::autograd::Engine::thread_main", "??", 0}};
    Frames model{{"forward", "/me/model.py", 8}, kCall},
        loss{{"my_loss", "/me/train.py", 20}, {"training_step", "/me/train.py", 9}},
        zero{{"zero_grad", "/lib/torch/optim/optimizer.py", 9}};
    for (Frames *frames : {&model, &loss, &zero})
        frames->insert(frames->end(), closure.begin(), closure.end());
    CategoryJob job;
    for (uint64_t round = 0; round < 2; ++round) {
        const uint64_t at = 100 * round;
        job.alloc(at + 1, 1000, model);
        job.alloc(at + 2, 8, loss);
        job.alloc(at + 3, 1000, engine); // flows through the backward pass
        job.alloc(at + 4, 1000, engine);
        job.give(at + 1, 1000, engine);
        job.give(at + 3, 1000, engine);
        if (round == 0)
            job.alloc(50, 2000, step); // a state, at the first step
        job.alloc(at + 5, 1000, step);
        job.give(at + 5, 1000, step);
        job.give(at + 2, 8, engine);
        job.give(at + 4, 1000, zero);
    }
    const auto found = job.categories();
    for (const uint64_t at : {0, 100}) {
        EXPECT_EQ(categoryAt(found, at + 1), "activation");
        EXPECT_EQ(categoryAt(found, at + 2), "activation");
        EXPECT_EQ(categoryAt(found, at + 3), "autograd_detail");
        EXPECT_EQ(categoryAt(found, at + 4), "gradient");
        EXPECT_EQ(categoryAt(found, at + 5), "temporary");
    }
    EXPECT_EQ(categoryAt(found, 50), "optimizer_state");
}

TEST(FrameworkRules, FreesWithoutStacksSayNothingIfOnlyAllocationsWereRecordedWithStacks)
{
    CategoryJob job;
    job.before(1, 64);
    job.alloc(2, 64, {{"load", "/me/data.py", 4}, kScript});
    job.give(2, 64, {});
    EXPECT_EQ(categoryAt(job.categories(), 2), "unknown") << "the free is not a sign of a backward pass";
}
