// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/call_tree.h"
#include "model/analysis/facts/device_work.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The origin of a call's stack.
enum class StackOrigin : uint8_t {
    None,
    Own,       ///< from the frames around it on its thread
    Forward,   ///< from its forward operator, which is found by the Sequence number
    Inherited, ///< from the operator around it
};

/// The Python frames and the modules from which operators were called. Equal stacks are stored once: a stack is the
/// number of its innermost frame in a tree in which every path from the root occurs once. Modules form a second tree of
/// this kind.
///
/// Frames are python_function slices; a module is a call of an nn.Module. If a trace has no such calls, the ranges of
/// Lightning are modules: "[pl][module]type: a.b", whose dots separate nested modules, and "[pl][profile]name". If it
/// has no frames of functions, the arguments "Call stack" (of TorchScript, and of Riffle's recorder, which takes the
/// stack of each outermost operator) and "Module Hierarchy" provide the stacks. An operator without frames of its own
/// takes the stack of its forward operator (see forwardOperators()) or, without one, inherits the stack of the operator
/// around it.
class FrameChains {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    struct Frame {
        uint32_t parent; ///< the frame around it, a smaller number, or kNone
        uint32_t name;   ///< for nameOf()
        uint32_t module; ///< the innermost module of the stack, or kNone
    };
    struct Module {
        uint32_t parent; ///< a smaller number, or kNone
        uint32_t name;   ///< for nameOf(): "nn.Module: Linear_0"
        int64_t id;      ///< Python module id, or kNoInt
    };
    /// A slice with a row in Segment::python.
    struct FrameCall {
        uint32_t slice; ///< SliceId
        uint32_t stack; ///< the stack inside it, or kNone
    };
    std::vector<Frame> frames;
    std::vector<Module> modules;
    BigVector<uint32_t> moduleSlices;  ///< calls of modules: SliceIds, ordered by position
    BigVector<uint32_t> moduleOfSlice; ///< parallel to moduleSlices: the module of each call
    BigVector<uint32_t> moduleAround;  ///< parallel to moduleSlices: the module whose call contains it, or kNone
    BigVector<FrameCall> frameCalls;   ///< by ascending slice

    /// `calls` returns the call tree. It may have to build the tree, which happens in parallel with the reading of
    /// slices.
    FrameChains(const Trace &trace, const SliceClasses &classes, const std::function<const CallTree &()> &calls);

    bool empty() const { return frames.empty(); } ///< true if nothing was recorded
    /// The innermost frame of a call, or kNone. A runtime call has only the frames around it.
    uint32_t stackOf(uint32_t call) const { return call < m_stacks.size() ? m_stacks[call] : kNone; }
    StackOrigin originOf(uint32_t call) const { return call < m_origins.size() ? m_origins[call] : StackOrigin::None; }
    uint32_t moduleOf(uint32_t call) const { return moduleOfStack(stackOf(call)); }
    uint32_t moduleOfStack(uint32_t frame) const { return frame < frames.size() ? frames[frame].module : kNone; }
    /// The call whose stack belongs to a piece of device work: its operator, otherwise its launch; CallTree::kNone if
    /// there is neither.
    static uint32_t callOf(const DeviceWork &work, const CallTree &calls, size_t at);
    /// True if an operator runs in the backward pass of its module, i.e. if it or an operator around it took the stack
    /// of a forward operator.
    bool isBackward(const CallTree &calls, uint32_t call) const;

    std::string_view nameOf(const Trace &trace, uint32_t name) const;
    /// A module's name without "nn.Module: ".
    std::string_view moduleName(const Trace &trace, uint32_t module) const;
    /// The names of a module and the modules around it, outermost first, separated by '/'.
    std::string modulePath(const Trace &trace, uint32_t module) const;
    /// The frames of a stack in Kineto's form: innermost first, separated by ';'. If there are more than `most` frames,
    /// only the innermost ones, followed by ";…".
    std::string stackText(const Trace &trace, uint32_t frame, size_t most = SIZE_MAX) const;

private:
    friend class FrameChainsBuilder;
    BigVector<uint32_t> m_stacks; ///< per call; empty if nothing was recorded
    BigVector<StackOrigin> m_origins;
    std::vector<std::string>
        m_names; ///< names that are not strings of the trace; their numbers follow those of the trace's strings
};

} // namespace riffle
