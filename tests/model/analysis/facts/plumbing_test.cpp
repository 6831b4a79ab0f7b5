// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/plumbing.h"

#include "model/base/column_memory.h"
#include "model/trace/growth/trace_growth.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace riffle::test {
namespace {

TEST(FrameRole, OfTheUsersCode)
{
    for (const char *text :
         {"train.py(12): main", "/home/me/项目/训练.py(7): 前向", "プロジェクト/学習.py(30): 損失を計算",
          R"(C:\Users\me\research\train.py(5): <module>)", R"(D:\研究\モデル.py(9): forward)", "trace.py(1): main",
          "vllm/v1/worker/gpu_worker.py(90): execute_model", "models/queue.py(4): push", "torchlike/model.py(8): run",
          "/sgl-workspace/sglang/python/sglang/srt/model.py(4): forward", "(frames that are left out)"})
        EXPECT_EQ(frameRole(text), FrameRole::Own) << text;
}

TEST(FrameRole, OfLibrariesAsTheyAreRecorded)
{
    for (const char *text : {"torch/_tensor.py(570): backward", R"(torch\cuda\__init__.py(219): _lazy_init)",
                             R"(C:\Users\me\miniconda3\envs\t\Lib\site-packages\torch\_tensor.py(570): backward)",
                             "/opt/conda/lib/python3.10/site-packages/transformers/trainer.py(8): train",
                             "/home/me/venv/lib/python3.12/site-packages/my_lib/data.py(3): load",
                             "/usr/lib/python3/dist-packages/numpy/core/fromnumeric.py(3): sum",
                             "torch/optim/adamw.py(60): step", "torch/utils/data/dataloader.py(700): __next__",
                             "tqdm/std.py(1170): __iter__", "torch/nn/modules/module.py(1340): to"})
        EXPECT_EQ(frameRole(text), FrameRole::Library) << text;
}

TEST(FrameRole, OfCodeThatOnlyPassesACallOn)
{
    for (const char *text :
         {"torch/nn/modules/module.py(1751): _call_impl", "torch/nn/modules/module.py(1740): _wrapped_call_impl",
          "torch/utils/_contextlib.py(116): decorate_context", "torch/_dynamo/eval_frame.py(600): _fn",
          "torch/optim/optimizer.py(485): wrapper", R"(torch\utils\_contextlib.py(116): decorate_context)",
          "threading.py(323): wait", "runpy.py(196): _run_module_as_main", "<frozen runpy>(88): _run_code",
          "/opt/conda/lib/python3.10/threading.py(10): run", R"(C:\Python311\Lib\threading.py(10): run)",
          "multiprocessing/connection.py(10): wait", "<string>(2): __init__", "<built-in function len>",
          "<built-in method run_backward of torch._C._EngineBase object at 0x7f>", "contextlib.py(81): inner"})
        EXPECT_EQ(frameRole(text), FrameRole::Wrapper) << text;
    EXPECT_EQ(frameRole("nn.Module: Linear_0"), FrameRole::Module);
}

/// Slices inside one another, each given by its text; an operator starts with "aten::".
class Nested {
public:
    Nested() : m_lane(m_small.thread(1)) {}
    Nested &add(std::string_view text)
    {
        const Ns at = 100 * m_depth++;
        if (text.starts_with("aten::"))
            m_small.operation(m_lane, text, at, 100'000 - 2 * at);
        else
            m_small.frame(m_lane, text, at, 100'000 - 2 * at);
        return *this;
    }
    /// The texts that are shown, outermost first.
    std::vector<std::string> shown()
    {
        const auto trace = m_small.seal();
        const LanePlumbing plumbing = plumbingOf(*trace, trace->lanes[0], frameRoles(*trace));
        std::vector<std::string> texts;
        const Segment &segment = *trace->segments[trace->lanes[0].segments[0]];
        for (const uint32_t at : plumbing.orderOf(0, segment.size()))
            if (!plumbing.isHidden[plumbing.first[0] + at])
                texts.emplace_back(trace->string(segment.slices.name[at]));
        EXPECT_EQ(plumbing.hidden + texts.size(), static_cast<size_t>(m_depth));
        return texts;
    }

private:
    SmallTrace m_small;
    uint32_t m_lane;
    Ns m_depth = 0;
};

using Texts = std::vector<std::string>;

TEST(Plumbing, LeavesTheUsersFramesModulesAndOperators)
{
    EXPECT_EQ(Nested()
                  .add("runpy.py(196): _run_module_as_main")
                  .add("train.py(12): main")
                  .add("nn.Module: Net_0")
                  .add("torch/nn/modules/module.py(1751): _call_impl")
                  .add("train.py(30): forward")
                  .add("nn.Module: Linear_0")
                  .add("torch/nn/modules/module.py(1751): _call_impl")
                  .add("torch/nn/modules/linear.py(125): forward")
                  .add("<built-in function linear>")
                  .add("aten::linear")
                  .shown(),
              (Texts{"train.py(12): main", "nn.Module: Net_0", "train.py(30): forward", "nn.Module: Linear_0",
                     "aten::linear"}));
}

TEST(Plumbing, LeavesTheOutermostFrameOfALibraryThatTheUserCalls)
{
    EXPECT_EQ(Nested()
                  .add("train.py(12): main")
                  .add("torch/_tensor.py(570): backward")
                  .add("torch/autograd/__init__.py(300): backward")
                  .add("torch/autograd/graph.py(800): _engine_run_backward")
                  .add("<built-in method run_backward of torch._C._EngineBase object at 0x7f>")
                  .shown(),
              (Texts{"train.py(12): main", "torch/_tensor.py(570): backward"}));
}

TEST(Plumbing, LooksThroughDecorators)
{
    EXPECT_EQ(Nested()
                  .add("train.py(12): main")
                  .add("torch/optim/lr_scheduler.py(140): wrapper")
                  .add("torch/optim/optimizer.py(485): wrapper")
                  .add("torch/optim/adamw.py(60): step")
                  .add("torch/optim/adamw.py(400): adamw")
                  .add("aten::_fused_adamw_")
                  .shown(),
              (Texts{"train.py(12): main", "torch/optim/adamw.py(60): step", "aten::_fused_adamw_"}));
    EXPECT_EQ(Nested()
                  .add("train.py(12): main")
                  .add("torch/utils/_contextlib.py(116): decorate_context")
                  .add("train.py(40): evaluate")
                  .shown(),
              (Texts{"train.py(12): main", "train.py(40): evaluate"}));
}

/// Where nothing else says what the user's code waited for, the outermost call does.
TEST(Plumbing, LeavesACallInWhichNothingElseIsShown)
{
    EXPECT_EQ(Nested().add("train.py(12): main").add("<built-in function sleep>").shown(),
              (Texts{"train.py(12): main", "<built-in function sleep>"}));
    EXPECT_EQ(Nested().add("train.py(12): main").add("<built-in function relu>").add("aten::relu").shown(),
              (Texts{"train.py(12): main", "aten::relu"}));
}

TEST(Plumbing, LeavesSomethingOfAThreadWithoutTheUsersFrames)
{
    EXPECT_EQ(Nested()
                  .add("threading.py(1002): _bootstrap")
                  .add("threading.py(1045): _bootstrap_inner")
                  .add("threading.py(982): run")
                  .add("torch/utils/data/_utils/pin_memory.py(52): _pin_memory_loop")
                  .add("torch/utils/data/_utils/pin_memory.py(30): do_one_step")
                  .add("queue.py(180): get")
                  .shown(),
              (Texts{"torch/utils/data/_utils/pin_memory.py(52): _pin_memory_loop"}));
    EXPECT_EQ(Nested().add("threading.py(1002): _bootstrap").add("threading.py(982): run").shown(),
              (Texts{"threading.py(1002): _bootstrap"}));
}

/// The names of the slices that are shown, sorted.
Texts shownIn(const Trace &trace)
{
    const Lane &lane = trace.lanes[0];
    const LanePlumbing plumbing = plumbingOf(trace, lane, frameRoles(trace));
    Texts texts;
    for (size_t segment = 0; segment < lane.segments.size(); ++segment)
        for (uint32_t at = 0; at < trace.segments[lane.segments[segment]]->size(); ++at)
            if (!plumbing.isHidden[plumbing.first[segment] + at])
                texts.emplace_back(trace.string(trace.segments[lane.segments[segment]]->slices.name[at]));
    std::ranges::sort(texts);
    return texts;
}

/// In a lane that grows, a frame that lasts long is in a later segment than what it calls.
TEST(Plumbing, IsTheSameInALaneThatHasGrown)
{
    struct Frame {
        const char *text;
        Ns start, duration;
    };
    const Frame outer{"torch/utils/data/dataloader.py(700): __next__", 0, 1'000'000};
    const auto inner = [](Ns start) {
        return std::vector<Frame>{{"torch/_tensor.py(570): backward", start, 500},
                                  {"torch/autograd/__init__.py(300): backward", start + 10, 400},
                                  {"train.py(12): hook", start + 20, 100}};
    };
    const auto writerOf = [](const std::vector<Frame> &frames) {
        auto writer = std::make_unique<TraceWriter>(std::make_shared<ColumnMemory>());
        const RawId id{1, RawId::Kind::Signed};
        for (const Frame &frame : frames) {
            SliceRow slice{};
            slice.start = frame.start;
            slice.duration = frame.duration;
            slice.sourceOffset = static_cast<uint64_t>(frame.start) + 1;
            slice.correlation = slice.externalId = kNoInt;
            slice.name = writer->intern(frame.text, slice.sourceOffset);
            slice.category = writer->intern("python_function", slice.sourceOffset);
            slice.flags = slice_flag::Host;
            slice.phase = 'X';
            slice.detail = SliceDetail::Python;
            writer->noteTime(frame.start);
            writer->noteTime(frame.start + frame.duration);
            writer->slice(slice, writer->lane({id, id, LaneKind::Thread, 0}, slice.sourceOffset),
                          PythonRow{0, kNoInt, kNoInt, kNoInt, kNoInt});
        }
        return writer;
    };
    TraceGrowth growth;
    for (const Ns start : {Ns{1'000}, Ns{2'000}, Ns{3'000}}) {
        growth.add(*writerOf(inner(start)));
        growth.settle([start](LaneKind) { return start + 600; });
    }
    growth.add(*writerOf({outer})); // it has ended only now
    growth.finish();
    const auto grown = growth.generation({}, nullptr, {}, [](const ImportReport &report) { return report; });
    ASSERT_TRUE(grown);
    EXPECT_GT((*grown)->lanes[0].segments.size(), 1u);

    SmallTrace atOnce;
    const uint32_t lane = atOnce.thread(1);
    atOnce.frame(lane, outer.text, outer.start, outer.duration);
    for (const Ns start : {Ns{1'000}, Ns{2'000}, Ns{3'000}})
        for (const Frame &frame : inner(start))
            atOnce.frame(lane, frame.text, frame.start, frame.duration);
    const Texts expected = shownIn(*atOnce.seal());
    EXPECT_EQ(expected.size(), 4u);
    EXPECT_EQ(shownIn(**grown), expected);
}

} // namespace
} // namespace riffle::test
