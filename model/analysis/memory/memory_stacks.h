// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_snapshot.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Makes the stacks of a snapshot readable: outermost frame first, frames of the interpreter and of the recorder itself
/// folded (left out), repeated frames collapsed.
///
/// The folded frames are the functions and files that PyTorch's own viewer omits: unwind::unwind,
/// CapturedTraceback::gather, gather_with_cpp, _start, __libc_start_main, PyEval_, PyObject_, PyFunction_;
/// core/boxing, /Register, /Redispatch, pythonrun.c, Modules/main.c, Objects/call.c, Objects/methodobject.c,
/// pycore_ceval.h, ceval.c, cpython/abstract.h. Further names catch frames of the same machinery that have no file:
/// wrappers of kernel functors, CPython's calls and slots, and the entry points of programs and threads. Frames of
/// Python files are never folded, whatever their names are.
class MemoryStacks {
public:
    /// The snapshot must outlive this object.
    explicit MemoryStacks(const MemorySnapshot &snapshot);

    /// A step of a stack: a frame, or (if `repeats` > 0) the number of further repetitions of the preceding frame.
    struct Step {
        uint32_t frame = 0;
        uint32_t repeats = 0;
        bool operator==(const Step &) const = default;
    };
    /// Reads the steps of a stack, outermost first. A stack with only folded frames has no steps.
    void read(uint32_t stack, std::vector<Step> &steps) const;

    bool isRuntime(uint32_t frame) const { return m_flags[frame] & Runtime; }
    bool isPython(uint32_t frame) const { return m_flags[frame] & Python; }
    /// True for a C++ frame that is an operator or a node of the backward pass.
    bool isOperator(uint32_t frame) const { return m_flags[frame] & (Operator | BackwardNode); }
    /// "forward /home/me/model.py:61" if `whole`, otherwise "forward model.py:61". The parameters of C++ functions are
    /// included only if `whole`.
    std::string text(uint32_t frame, bool whole) const;
    std::string text(const Step &step, bool whole) const;

    /// The modules around an allocation, outermost first, as frame numbers; see moduleText(). They are the Python
    /// frames named `forward`, except those called by torch/autograd/function.py, which belong to autograd functions. A
    /// frame records the file and the line, not the class, so a module of torch.nn is shown as its file ("torch.nn
    /// linear") and any other module as its file and line ("model.py:61").
    void modules(uint32_t stack, std::vector<uint32_t> &frames) const;
    std::string moduleText(uint32_t frame) const;

    /// The operators around an allocation, outermost first: the C++ frames at::_ops::X::call and ::redispatch
    /// ("aten::X"; adjacent frames of one operator count once) and nodes of the backward pass
    /// (torch::autograd::…::XBackward0::apply). Without such frames, the operator is the innermost frame that is
    /// not folded, provided that it is in one of torch's own Python files ("torch.nn.functional.batch_norm").
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
    std::vector<uint8_t> m_flags; ///< per frame
};

} // namespace riffle
