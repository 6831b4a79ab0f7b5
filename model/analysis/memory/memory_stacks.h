// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_snapshot.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The stacks of a snapshot as people read them: the outermost frame first, frames of the interpreter and of the
/// recorder itself folded, frames that stand there over and over collapsed.
///
/// Folded are the functions and files that PyTorch's own viewer leaves out (unwind::unwind, CapturedTraceback::gather,
/// gather_with_cpp, _start, __libc_start_main, PyEval_, PyObject_, PyFunction_; core/boxing, /Register, /Redispatch,
/// pythonrun.c, Modules/main.c, Objects/call.c, Objects/methodobject.c, pycore_ceval.h, ceval.c, cpython/abstract.h),
/// and the same machinery where recorders know no file: wrappers of kernel functors, CPython's calls and slots, how
/// programs and threads begin. Frames of Python files are never folded, whatever they are called.
class MemoryStacks {
public:
    /// The snapshot must live as long as this does.
    explicit MemoryStacks(const MemorySnapshot &snapshot);

    /// A step of a stack: a frame, or (`repeats` > 0) that the frame before stands there so many times more.
    struct Step {
        uint32_t frame = 0;
        uint32_t repeats = 0;
        bool operator==(const Step &) const = default;
    };
    /// Outermost first. A stack of folded frames only has no steps.
    void read(uint32_t stack, std::vector<Step> &steps) const;

    bool isRuntime(uint32_t frame) const { return m_flags[frame] & Runtime; }
    bool isPython(uint32_t frame) const { return m_flags[frame] & Python; }
    /// Of C++: an operator, or a node of the backward pass.
    bool isOperator(uint32_t frame) const { return m_flags[frame] & (Operator | BackwardNode); }
    /// "forward /home/me/model.py:61"; `whole` false: "forward model.py:61". C++ frames without their parameters unless
    /// whole.
    std::string text(uint32_t frame, bool whole) const;
    std::string text(const Step &step, bool whole) const;

    /// The modules around an allocation, the outermost first: frames of Python files called `forward`, but those called
    /// by torch/autograd/function.py, which belong to functions. A frame says the file and the line, not the class: a
    /// module of torch.nn is its file ("torch.nn linear"), any other its file and line ("model.py:61"). Frame numbers;
    /// see moduleText().
    void modules(uint32_t stack, std::vector<uint32_t> &frames) const;
    std::string moduleText(uint32_t frame) const;

    /// The operators around an allocation, the outermost first: C++ frames at::_ops::X::call and ::redispatch
    /// ("aten::X", those of one operator next to each other once) and nodes of the backward pass
    /// (torch::autograd::…::XBackward0::apply); where there is no such frame: the innermost frame that is not folded,
    /// if it is one of torch's own Python files ("torch.nn.functional.batch_norm").
    void operators(uint32_t stack, std::vector<uint32_t> &frames) const;
    std::string operatorText(uint32_t frame) const;

    const MemorySnapshot &snapshot() const { return m_snapshot; }

private:
    enum Flag : uint8_t {
        Runtime = 1,
        Python = 2,
        Forward = 4,
        AutogradFunction = 8,
        Operator = 16,
        BackwardNode = 32,
        Torch = 64
    };
    uint8_t flagsOf(const MemoryFrame &frame) const;

    const MemorySnapshot &m_snapshot;
    std::vector<uint8_t> m_flags; ///< by frame
};

} // namespace riffle
