// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/events/event_place.h"
#include "tests/model/analysis/memory/small_stacks.h"

#include <gtest/gtest.h>

using namespace riffle;
using namespace riffle::test;

namespace {

using Frames = std::vector<SmallStacks::Frame>;

std::string placeOf(const Frames &frames, bool whole = false)
{
    SmallStacks small;
    MemorySnapshot snapshot;
    const uint32_t stack = small.add(frames);
    small.give(snapshot, {});
    return eventPlaceText(MemoryStacks(snapshot), stack, whole);
}

const Frames kAllocated{
    {"torch::unwind::unwind()", "??", 0},
    {"torch::CapturedTraceback::gather(bool, bool, bool)", "??", 0},
    {"torch::cuda::(anonymous namespace)::gather_with_cpp()", "memory_snapshot.cpp", 0},
    {"c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(signed char, unsigned long, "
     "CUstream_st*)",
     "CUDACachingAllocator.cpp", 0},
    {"c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator::allocate(unsigned long)", "", 0},
    {"at::TensorBase at::detail::_empty_generic<long>(c10::ArrayRef<long>, c10::Allocator*, c10::DispatchKeySet)", "",
     0},
    {"at::detail::empty_cuda(c10::ArrayRef<long>, c10::ScalarType, std::optional<c10::Device>)", "??", 0},
    {"at::native::empty_cuda(c10::ArrayRef<long>)", "??", 0},
    {"at::(anonymous namespace)::(anonymous namespace)::wrapper_CUDA_memory_format_empty(c10::ArrayRef<c10::SymInt>)",
     "RegisterCUDA.cpp", 0},
    {"at::_ops::empty_memory_format::redispatch(c10::DispatchKeySet, c10::ArrayRef<c10::SymInt>)", "??", 0},
    {"at::native::empty_like(at::Tensor const&, c10::Allocator*)", "??", 0}};

Frames with(Frames frames, const Frames &outer)
{
    frames.insert(frames.end(), outer.begin(), outer.end());
    return frames;
}

const SmallStacks::Frame kOperator{
    "at::native::native_dropout_backward_cuda(at::Tensor const&, at::Tensor const&, double)", "??", 0};

TEST(EventPlace, IsNotTheAllocatorItself)
{
    EXPECT_EQ(placeOf(with(kAllocated, {kOperator, {"torch::autograd::Engine::thread_main(int)", "", 0}})),
              "at::native::native_dropout_backward_cuda");
}

TEST(EventPlace, OfAFreeIsWhoLetGo)
{
    EXPECT_EQ(placeOf({{"c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::free(Block*)", "", 0},
                       {"c10::cuda::CUDACachingAllocator::Native::local_raw_delete(void*)", "", 0},
                       {"c10::StorageImpl::~StorageImpl()", "", 0},
                       {"c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>::reset_()", "", 0},
                       {"torch::autograd::SavedVariable::reset_data()", "", 0}}),
              "torch::autograd::SavedVariable::reset_data");
}

TEST(EventPlace, AParameterMakesNobodyTheAllocator)
{
    EXPECT_EQ(placeOf({{"at::native::resize_(c10::Allocator::Kind, std::optional<c10::StorageImpl::Kind>)", "", 0},
                       kOperator}),
              "at::native::resize_");
}

TEST(EventPlace, PythonGoesFirstAndTheUsersOwnBeforeALibrarys)
{
    const SmallStacks::Frame library{"forward", "/usr/lib/python3.11/site-packages/torch/nn/modules/linear.py", 116},
        users{"forward", "/home/me/model.py", 61};
    EXPECT_EQ(placeOf(with(kAllocated, {kOperator, library, users, {"main", "/home/me/train.py", 3}})),
              "forward model.py:61");
    EXPECT_EQ(placeOf(with(kAllocated, {kOperator, library})), "forward linear.py:116");
    EXPECT_EQ(placeOf({library, users}, true), "forward /home/me/model.py:61");
}

TEST(EventPlace, SomethingIsBetterThanNothing)
{
    EXPECT_EQ(placeOf(kAllocated),
              "c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc CUDACachingAllocator.cpp");
    EXPECT_EQ(placeOf({{"torch::unwind::unwind()", "??", 0}}), "");
    EXPECT_EQ(placeOf({}), "");
}

} // namespace
