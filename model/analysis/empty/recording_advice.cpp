// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/empty/recording_advice.h"

#include <array>
#include <cassert>

namespace riffle {

namespace {

/// The advice of one recorder about one subject; empty if there is none.
struct OfRecorder {
    const char *advice = "";
    const char *setting = "";
    bool never = false;
};

struct OfSubject {
    EmptySubject subject;
    const char *missing, *none;
    OfRecorder pyTorch, paddle, riffle;
};

constexpr const char *kStacksInPyTorch = "torch.profiler records them with with_stack=True (TorchScript: "
                                         "with_modules=True), Megatron-LM with --torch-profile-with-stack.";
constexpr OfRecorder kNotInPaddle{"Paddle's profiler cannot record them.", "", true};

constexpr std::array kSubjects{
    OfSubject{EmptySubject::Events, "No events were recorded.", "no events", {}, {}, {}},
    OfSubject{EmptySubject::Operators,
              "No operators were recorded.",
              "no operators",
              {"torch.profiler records them with activities=[ProfilerActivity.CPU, …].", "ProfilerActivity.CPU"},
              {"paddle.profiler.Profiler records them with targets=[ProfilerTarget.CPU, …].", "ProfilerTarget.CPU"},
              {"riffle-cli record records those of PyTorch with --preset normal.", "--preset normal"}},
    OfSubject{EmptySubject::Modules,
              "No modules were recorded.",
              "no modules",
              {kStacksInPyTorch, "with_stack=True"},
              kNotInPaddle,
              {"The Python package riffle_profiler records them with with_modules=True.", "with_modules=True"}},
    OfSubject{EmptySubject::CallStacks,
              "No call stacks were recorded.",
              "no call stacks",
              {kStacksInPyTorch, "with_stack=True"},
              kNotInPaddle,
              {"riffle-cli record records those of PyTorch's operators with --stacks.", "--stacks"}},
    OfSubject{EmptySubject::DeviceWork,
              "No device work was recorded.",
              "no device work",
              {"torch.profiler records it with activities=[…, ProfilerActivity.CUDA].", "ProfilerActivity.CUDA"},
              {"paddle.profiler.Profiler records it with targets=[…, ProfilerTarget.GPU].", "ProfilerTarget.GPU"},
              {"riffle-cli record records it in processes that use CUDA, without --kineto."}},
    OfSubject{EmptySubject::Memory,
              "No memory events were recorded.",
              "no memory events",
              {"torch.profiler records them with profile_memory=True.", "profile_memory=True"},
              {"paddle.profiler.Profiler records them with profile_memory=True.", "profile_memory=True"},
              {"riffle-cli record records them with --preset memory.", "--preset memory"}},
    OfSubject{EmptySubject::Ranges,
              "The program marked no ranges.",
              "no ranges that the program marked",
              {"torch.profiler.record_function(\"…\") marks them.", "torch.profiler.record_function(\"…\")"},
              {"paddle.profiler.RecordEvent(\"…\") marks them.", "paddle.profiler.RecordEvent(\"…\")"},
              {"riffle_profiler.annotate(\"…\"), NVTX and torch.profiler.record_function(\"…\") mark them.",
               "riffle_profiler.annotate(\"…\")"}},
    OfSubject{
        EmptySubject::Collectives,
        "No collectives were recorded.",
        "no collectives",
        {"torch.profiler records those of torch.distributed with activities=[ProfilerActivity.CPU, "
         "ProfilerActivity.CUDA], and their sizes with record_shapes=True.",
         "record_shapes=True"},
        {"paddle.profiler.Profiler records their kernels with targets=[…, ProfilerTarget.GPU].", "ProfilerTarget.GPU"},
        {"riffle-cli record records those of torch.distributed with --preset normal, and their kernels in "
         "processes that use CUDA.",
         "--preset normal"}},
};

} // namespace

RecordingAdvice recordingAdvice(EmptySubject subject, Recorder recorder)
{
    const OfSubject &of = kSubjects[static_cast<size_t>(subject)];
    assert(of.subject == subject);
    const OfRecorder known = recorder == Recorder::PyTorch  ? of.pyTorch
                             : recorder == Recorder::Paddle ? of.paddle
                             : recorder == Recorder::Riffle ? of.riffle
                                                            : OfRecorder{};
    return {of.missing, of.none, known.advice, known.setting, known.never};
}

} // namespace riffle
