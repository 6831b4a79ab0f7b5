// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Whose code a frame is: the user's own, an installed library's, PyTorch's, or the interpreter's and C++ runtime's.
enum class FrameClass : uint8_t { User, Library, Torch, Runtime };

/// One frame of a call stack, wherever it was recorded.
struct StackFrame {
    std::string text;     ///< as recorded
    std::string function; ///< may be empty
    std::string file;     ///< empty when the frame has none
    int line = 0;         ///< 0 when unknown
    FrameClass kind = FrameClass::User;
    SliceId slice; ///< the python_function slice, when it is one
};

/// Reads "path.py(12): name" and the like, and says whose code it is.
StackFrame parseFrame(std::string_view text);
FrameClass classifyFrame(std::string_view file, std::string_view function);

/// A recorded call stack's text, innermost first as it is written: frames parted by ';' or line ends.
std::vector<StackFrame> framesOfText(std::string_view callStack);
/// The Python frames around a slice, innermost first. For device work those of its launch.
std::vector<StackFrame> framesAround(const Trace &trace, SliceId slice);
/// framesAround(), or the slice's "Call stack" argument when no frames were recorded around it. Reads the source.
std::vector<StackFrame> stackOf(const Trace &trace, SliceId slice);

} // namespace riffle
