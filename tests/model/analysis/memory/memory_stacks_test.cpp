// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/memory_stacks.h"
#include "tests/model/analysis/memory/small_stacks.h"

#include <gtest/gtest.h>

using namespace riffle;
using namespace riffle::test;

namespace {

using Frames = std::vector<SmallStacks::Frame>;
using Texts = std::vector<std::string>;

struct Read {
    MemorySnapshot snapshot;
    uint32_t stack;
    MemoryStacks stacks;

    explicit Read(const Frames &frames) : snapshot(), stack(give(snapshot, frames)), stacks(snapshot) {}
    static uint32_t give(MemorySnapshot &snapshot, const Frames &frames)
    {
        SmallStacks small;
        const uint32_t stack = small.add(frames);
        small.give(snapshot, {});
        return stack;
    }
    Texts steps(bool whole = false) const
    {
        std::vector<MemoryStacks::Step> steps;
        stacks.read(stack, steps);
        Texts texts;
        for (const auto &step : steps)
            texts.push_back(stacks.text(step, whole));
        return texts;
    }
    Texts modules() const
    {
        std::vector<uint32_t> frames;
        stacks.modules(stack, frames);
        Texts texts;
        for (const uint32_t frame : frames)
            texts.push_back(stacks.moduleText(frame));
        return texts;
    }
    Texts operators() const
    {
        std::vector<uint32_t> frames;
        stacks.operators(stack, frames);
        Texts texts;
        for (const uint32_t frame : frames)
            texts.push_back(stacks.operatorText(frame));
        return texts;
    }
};

const Frames kLinear{
    {"torch::unwind::unwind()", "??", 0},
    {"torch::CapturedTraceback::gather(bool, bool, bool)", "??", 0},
    {"at::(anonymous namespace)::wrapper_CUDA_mm(at::Tensor const&, at::Tensor const&)", "RegisterCUDA.cpp", 0},
    {"c10::impl::wrap_kernel_functor_unboxed_<c10::impl::detail::WrapFunctionIntoFunctor_<int> >::call()",
     "/x/RegisterCUDA.cpp", 0},
    {"at::_ops::mm::redispatch(c10::DispatchKeySet, at::Tensor const&)", "??", 0},
    {"torch::autograd::VariableType::(anonymous namespace)::mm(c10::DispatchKeySet)", "VariableType_3.cpp", 0},
    {"at::_ops::mm::call(at::Tensor const&)", "??", 0},
    {"at::native::linear(at::Tensor const&)", "??", 0},
    {"at::_ops::linear::call(at::Tensor const&)", "??", 0},
    {"cfunction_call", "", 0},
    {"forward", "/usr/lib/python3/site-packages/torch/nn/modules/linear.py", 114},
    {"_PyEval_EvalFrameDefault", "??", 0},
    {"_call_impl", "/usr/lib/python3/site-packages/torch/nn/modules/module.py", 1527},
    {"forward", "C:\\me\\model.py", 61},
    {"on_train_start", "/me/PyEval_train.py", 5},
    {"_start", "??", 0}};

} // namespace

TEST(MemoryStacks, FoldsTheRuntimeAndKeepsPythonWhateverItIsCalled)
{
    const Read read(kLinear);
    EXPECT_EQ(read.steps(),
              (Texts{"on_train_start PyEval_train.py:5", "forward model.py:61", "_call_impl module.py:1527",
                     "forward linear.py:114", "at::_ops::linear::call", "at::native::linear", "at::_ops::mm::call",
                     "torch::autograd::VariableType::(anonymous namespace)::mm VariableType_3.cpp",
                     "at::_ops::mm::redispatch", "at::(anonymous namespace)::wrapper_CUDA_mm RegisterCUDA.cpp"}));
    EXPECT_EQ(read.steps(true)[1], "forward C:\\me\\model.py:61");
}

TEST(MemoryStacks, CollapsesWhatRepeats)
{
    const SmallStacks::Frame deep{"visit", "tree.py", 3}, other{"leaf", "tree.py", 9};
    EXPECT_EQ(Read({other, deep, deep, deep, deep, other}).steps(),
              (Texts{"leaf tree.py:9", "visit tree.py:3", "<repeats 3 times>", "leaf tree.py:9"}));
    EXPECT_EQ(Read({deep, deep}).steps(), (Texts{"visit tree.py:3", "visit tree.py:3"}));
    EXPECT_EQ(Read({deep, {"PyObject_Call", "??", 0}, deep, deep}).steps(),
              (Texts{"visit tree.py:3", "<repeats 2 times>"}))
        << "a folded frame does not interrupt a repetition";
}

TEST(MemoryStacks, ModulesAndOperatorsAreWhatFramesSay)
{
    const Read read(kLinear);
    EXPECT_EQ(read.modules(), (Texts{"model.py:61", "torch.nn linear"}));
    EXPECT_EQ(read.operators(), (Texts{"aten::linear", "aten::mm"}));
    const Read backward({{"at::_ops::bmm::call(int)", "??", 0},
                         {"torch::autograd::generated::BmmBackward0::apply(std::vector<at::Tensor>&&)", "??", 0},
                         {"torch::autograd::Engine::evaluate_function(int)", "??", 0}});
    EXPECT_EQ(backward.modules(), Texts());
    EXPECT_EQ(backward.operators(), (Texts{"BmmBackward0", "aten::bmm"}));
}

TEST(MemoryStacks, OfPythonFramesAloneTorchsInnermostOneIsTheOperator)
{
    EXPECT_EQ(Read({{"batch_norm", "/a/site-packages/torch/nn/functional.py", 2822},
                    {"forward", "/a/site-packages/torch/nn/modules/batchnorm.py", 193}})
                  .operators(),
              (Texts{"torch.nn.functional.batch_norm"}));
    EXPECT_EQ(Read({{"scale", "/a/model.py", 2}, {"_call_impl", "/a/torch/nn/modules/module.py", 1}}).operators(),
              Texts())
        << "the innermost frame is not one of torch";
    EXPECT_EQ(Read({{"forward", "/a/flash.py", 2},
                    {"apply", "/a/torch/autograd/function.py", 598},
                    {"forward", "/a/block.py", 7}})
                  .modules(),
              (Texts{"block.py:7"}));
    EXPECT_EQ(Read({}).operators(), Texts());
}
