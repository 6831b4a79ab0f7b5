// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/call_tree.h"
#include "model/analysis/facts/device_work.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// How a call came by its stack.
enum class StackOrigin : uint8_t {
    None,
    Own,       ///< frames are around it on its thread
    Forward,   ///< those of the forward operator that its Sequence number names
    Inherited, ///< what the operator around it has
};

/// The Python frames and the modules that operators were called from. Equal stacks are one: a stack is the number of
/// its innermost frame in a tree in which every path from the root occurs once; modules are such a tree of their own.
///
/// Frames are python_function slices; a module is a call of an nn.Module. Where there are none of these, Lightning's
/// ranges
/// "[pl][module]type: a.b" (a tree by the dots) and "[pl][profile]name" are modules, and the arguments "Call stack" and
/// "Module Hierarchy" that TorchScript writes are stacks. An operator without frames of its own takes those of its
/// forward operator: of the operators with its Sequence number and no Fwd thread id that start before it, on the thread
/// that its Fwd thread id stands for, the one that starts last (the deeper of two). Else it has what the operator
/// around it has.
class FrameChains {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    struct Frame {
        uint32_t parent; ///< the frame around it, a smaller number, or none
        uint32_t name;   ///< for nameOf()
        uint32_t module; ///< the innermost module of the stack, or none
    };
    struct Module {
        uint32_t parent; ///< a smaller number, or none
        uint32_t name;   ///< for nameOf(): "nn.Module: Linear_0"
        int64_t id;      ///< Python module id, or kNoInt
    };
    std::vector<Frame> frames;
    std::vector<Module> modules;
    std::vector<uint32_t> moduleSlices;  ///< calls of modules, ascending SliceIds
    std::vector<uint32_t> moduleOfSlice; ///< beside them
    std::vector<uint32_t> moduleAround;  ///< beside them: the module whose call each lies in, or none
    std::vector<uint32_t> stackOfPython; ///< by row of Trace::python: the stack inside that frame

    /// `calls` is asked for the calls while slices are read.
    FrameChains(const Trace &trace, const SliceClasses &classes, const std::function<const CallTree &()> &calls);

    bool empty() const { return frames.empty(); } ///< nothing was recorded
    /// By call number: its innermost frame, or none. Of runtime calls only what is around them.
    uint32_t stackOf(uint32_t call) const { return call < m_stacks.size() ? m_stacks[call] : kNone; }
    StackOrigin originOf(uint32_t call) const { return call < m_origins.size() ? m_origins[call] : StackOrigin::None; }
    uint32_t moduleOf(uint32_t call) const { return moduleOfStack(stackOf(call)); }
    uint32_t moduleOfStack(uint32_t frame) const { return frame < frames.size() ? frames[frame].module : kNone; }
    /// The call whose stack is that of a piece of device work: its operator, else its launch; CallTree::kNone without
    /// any.
    static uint32_t callOf(const DeviceWork &work, const CallTree &calls, size_t at);
    /// Whether an operator runs in the backward pass of the module it counts for: it, or one around it, took a forward
    /// operator's.
    bool isBackward(const CallTree &calls, uint32_t call) const;

    std::string_view nameOf(const Trace &trace, uint32_t name) const;
    /// A module's name without "nn.Module: ".
    std::string_view moduleName(const Trace &trace, uint32_t module) const;
    /// The names of a module and those around it, outermost first, parted by '/'.
    std::string modulePath(const Trace &trace, uint32_t module) const;
    /// A stack's frames as Kineto writes them: innermost first, parted by ';'. Of more than `most` frames the
    /// innermost.
    std::string stackText(const Trace &trace, uint32_t frame, size_t most = SIZE_MAX) const;

private:
    friend class FrameChainsBuilder;
    std::vector<uint32_t> m_stacks; ///< by call; empty when nothing was recorded
    std::vector<StackOrigin> m_origins;
    std::vector<std::string> m_names; ///< that are no strings of the trace: their numbers follow on its strings'
};

} // namespace riffle
