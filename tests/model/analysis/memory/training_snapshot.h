// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/model/analysis/memory/small_snapshot.h"
#include "tests/model/analysis/memory/small_stacks.h"

#include <map>
#include <string>
#include <vector>

namespace riffle::test {

/// A training job in which the purpose of each allocation is known. Stacks are as PyTorch records them, with or without
/// C++ frames.
struct TrainingOptions {
    bool cpp = true;            ///< C++ frames were recorded
    bool checkpoint = false;    ///< layers are computed again in the backward pass
    bool lateHistory = false;   ///< recording starts in the second step: parameters and states are from before
    bool ownOptimizer = false;  ///< a custom optimizer in a file whose name does not mention optimizers
    bool keepGradients = false; ///< zero_grad(set_to_none=False): gradients stay
    int layers = 6, steps = 3;
};

class TrainingSnapshot {
public:
    explicit TrainingSnapshot(const TrainingOptions &options) : m_options(options) { run(); }

    MemorySnapshot take()
    {
        std::vector<MemoryBlock> blocks;
        for (const auto &[address, one] : m_open)
            blocks.push_back({address, one.size, one.size, one.begin == UINT32_MAX ? 0 : m_stacks[one.begin],
                              BlockState::Allocated});
        m_small.segment(0, int64_t(1) << 40, blocks);
        MemorySnapshot snapshot = m_small.take();
        m_frames.give(snapshot, m_stacks);
        return snapshot;
    }
    /// The category by address and event of the alloc (UINT32_MAX: before the history).
    std::map<std::pair<uint64_t, uint32_t>, std::string> truth;

private:
    using Frames = std::vector<SmallStacks::Frame>;
    struct Open {
        int64_t size;
        uint32_t begin;
    };

    static SmallStacks::Frame cpp(const std::string &name) { return {name, "??", 0}; }
    static SmallStacks::Frame py(const std::string &name, const std::string &file, int32_t line)
    {
        return {name, file, line};
    }
    static Frames inside(const Frames &inner, const Frames &outer)
    {
        Frames all = inner;
        all.insert(all.end(), outer.begin(), outer.end());
        return all;
    }
    /// Adds the frames as they are recorded: without C++ frames if these are not recorded.
    uint32_t stack(const Frames &frames)
    {
        Frames kept;
        for (const auto &frame : frames)
            if (m_options.cpp || frame.file != "??")
                kept.push_back(frame);
        return kept.empty() ? 0 : m_frames.add(kept);
    }
    uint64_t alloc(int64_t size, const Frames &frames, const char *category)
    {
        m_next += 1 << 21;
        const uint64_t address = m_next;
        uint32_t event = UINT32_MAX;
        if (m_recording) {
            event = m_small.add(MemoryAction::Alloc, address, size);
            m_stacks.push_back(stack(frames));
        }
        m_open[address] = {size, event};
        truth[{address, event}] = category;
        return address;
    }
    void give(uint64_t address, const Frames &frames)
    {
        const Open one = m_open.at(address);
        if (m_recording) {
            for (const MemoryAction action : {MemoryAction::FreeRequested, MemoryAction::FreeCompleted}) {
                m_small.add(action, address, one.size);
                m_stacks.push_back(stack(frames));
            }
        } else {
            truth.erase({address, one.begin});
        }
        m_open.erase(address);
    }
    /// Allocates and frees memory that an operator needs for itself.
    void within(const Frames &op)
    {
        const uint64_t one = alloc(700'000, inside({cpp("at::detail::empty_cuda(int)")}, op), "temporary");
        give(one, inside({cpp("at::native::cleanup(int)")}, op));
    }

    Frames moduleFrames(int layer) const
    {
        Frames frames{py("forward", "/lib/torch/nn/modules/linear.py", 114),
                      py("_call_impl", "/lib/torch/nn/modules/module.py", 1527),
                      py("forward", "/me/model.py", 40 + layer % 2),
                      py("_call_impl", "/lib/torch/nn/modules/module.py", 1527), py("forward", "/me/model.py", 90)};
        return frames;
    }
    /// Returns the outputs of the layer that the backward pass needs.
    std::vector<uint64_t> forward(int layer, const Frames &outside)
    {
        const Frames module = inside(moduleFrames(layer), outside);
        const Frames linear = inside({cpp("at::_ops::mm::call(int)"), cpp("at::_ops::linear::call(int)")}, module);
        std::vector<uint64_t> kept{alloc(4'000'000 + layer, linear, "activation")};
        if (layer == 0 && m_step == 0)
            alloc(8'519'680,
                  inside({cpp("at::cuda::getNewWorkspace()"), cpp("at::cuda::getCurrentCUDABlasHandle()")}, linear),
                  m_options.cpp ? "workspace" : "activation");
        within(linear);
        const Frames own = inside({py("gelu", "/me/ops.py", 7)}, inside({module.begin() + 2, module.end()}, {}));
        const uint64_t passing = alloc(3'000'000, inside({cpp("at::_ops::mul_Tensor::call(int)")}, own), "temporary");
        kept.push_back(alloc(3'000'000, inside({cpp("at::_ops::tanh::call(int)")}, own), "activation"));
        give(passing, module);
        return kept;
    }

    void run()
    {
        m_recording = !m_options.lateHistory;
        const Frames main{py("main", "/me/train.py", 50), py("<module>", "/me/train.py", 99)};
        const Frames build = inside({py("convert", "/lib/torch/nn/modules/module.py", 1150),
                                     py("_apply", "/lib/torch/nn/modules/module.py", 900),
                                     py("to", "/lib/torch/nn/modules/module.py", 1160)},
                                    main);
        for (int layer = 0; layer < m_options.layers; ++layer)
            alloc(16'000'000, inside({cpp("at::_ops::to_dtype_layout::call(int)")}, build), "parameter");
        std::vector<uint64_t> gradients;
        for (m_step = 0; m_step < m_options.steps; ++m_step) {
            m_recording |= m_step > 0;
            step(main, gradients);
        }
    }

    void step(const Frames &main, std::vector<uint64_t> &gradients)
    {
        const Frames loop = inside({py("train_step", "/me/train.py", 30)}, main);
        const uint64_t batch =
            alloc(2'000'000,
                  inside({cpp("at::_ops::_to_copy::call(int)"), cpp("at::_ops::to_device::call(int)"),
                          py("next_batch", "/me/data.py", 12)},
                         loop),
                  "input");
        const Frames rerun{py("unpack", "/lib/torch/utils/checkpoint.py", 1100)},
            saved{py("checkpoint", "/lib/torch/utils/checkpoint.py", 500)};
        std::vector<std::vector<uint64_t>> kept;
        for (int layer = 0; layer < m_options.layers; ++layer) {
            kept.push_back(forward(layer, m_options.checkpoint ? inside(saved, loop) : loop));
            if (!m_options.checkpoint)
                continue;
            for (const uint64_t one : kept.back()) { // freed immediately, to be computed again
                relabel(one, "temporary");
                give(one, inside(saved, loop));
            }
        }
        const uint64_t loss = alloc(4096,
                                    inside({cpp("at::_ops::cross_entropy_loss::call(int)"),
                                            py("cross_entropy", "/lib/torch/nn/functional.py", 3029)},
                                           loop),
                                    "activation");

        const Frames engine{cpp("torch::autograd::Engine::evaluate_function(int)"),
                            cpp("torch::autograd::Engine::thread_main(int)"), cpp("start_thread")};
        const Frames node = inside(
            {cpp("at::_ops::mm::call(int)"), cpp("torch::autograd::generated::MmBackward0::apply(int)")}, engine);
        std::vector<uint64_t> fresh;
        uint64_t flowing = alloc(4096, node, "autograd_detail");
        give(loss, engine);
        for (int layer = m_options.layers; layer > 0; --layer) {
            if (m_options.checkpoint)
                kept[static_cast<size_t>(layer - 1)] = forward(layer - 1, inside(rerun, engine));
            const uint64_t next = alloc(4'000'000, node, "autograd_detail");
            within(node);
            if (gradients.empty() || !m_options.keepGradients)
                fresh.push_back(alloc(16'000'000, node, "gradient"));
            give(flowing, engine);
            flowing = next;
            for (const uint64_t one : kept[static_cast<size_t>(layer - 1)])
                give(one, engine);
        }
        give(flowing, engine);
        give(batch, loop);
        gradients.insert(gradients.end(), fresh.begin(), fresh.end());
        optimize(loop);
        if (m_options.keepGradients)
            return;
        for (const uint64_t one : gradients)
            give(one, inside({py("zero_grad", "/lib/torch/optim/optimizer.py", 900)}, loop));
        gradients.clear();
    }

    void optimize(const Frames &loop)
    {
        const Frames step = m_options.ownOptimizer ? inside({py("update", "/me/lion.py", 20)}, loop)
                                                   : inside({py("step", "/lib/torch/optim/adamw.py", 220),
                                                             py("wrapper", "/lib/torch/optim/optimizer.py", 480)},
                                                            loop);
        const Frames begin =
            m_options.ownOptimizer ? step : inside({py("_init_group", "/lib/torch/optim/adamw.py", 150)}, step);
        for (int layer = 0; layer < m_options.layers && m_step == 0; ++layer)
            for (int state = 0; state < 2; ++state)
                alloc(16'000'000, inside({cpp("at::_ops::zeros_like::call(int)")}, begin), "optimizer_state");
        const Frames foreach =
            m_options.ownOptimizer ? step : inside({py("_multi_tensor_adamw", "/lib/torch/optim/adamw.py", 600)}, step);
        for (int layer = 0; layer < m_options.layers; ++layer)
            give(alloc(16'000'000, inside({cpp("at::_ops::_foreach_sqrt::call(int)")}, foreach), "temporary"), step);
    }

    void relabel(uint64_t address, const char *category) { truth[{address, m_open.at(address).begin}] = category; }

    TrainingOptions m_options;
    SmallSnapshot m_small;
    SmallStacks m_frames;
    std::vector<uint32_t> m_stacks; ///< by event
    std::map<uint64_t, Open> m_open;
    uint64_t m_next = 0x7f0000000000;
    bool m_recording = true;
    int m_step = 0;
};

} // namespace riffle::test
