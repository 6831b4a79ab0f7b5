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

/// One frame of a call stack, regardless of how it was recorded.
struct StackFrame {
    std::string text;     ///< as recorded
    std::string function; ///< may be empty
    std::string file;     ///< empty if the frame has none
    int line = 0;         ///< 0 if unknown
    FrameClass kind = FrameClass::User;
    SliceId slice; ///< the python_function slice, if the frame is one
};

/// Parses "path.py(12): name" and similar forms, and classifies the frame.
StackFrame parseFrame(std::string_view text);
FrameClass classifyFrame(std::string_view file, std::string_view function);

/// The frames of a recorded call stack's text, innermost first, as in the text. Frames are separated by ';' or line
/// ends.
std::vector<StackFrame> framesOfText(std::string_view callStack);
/// The Python frames around a slice, innermost first; for device work, those around its launch.
std::vector<StackFrame> framesAround(const Trace &trace, SliceId slice);
/// framesAround(); if no frames were recorded around the slice, the "Call stack" argument of the slice or of an
/// operator around it, which is read from the source.
std::vector<StackFrame> stackOf(const Trace &trace, SliceId slice);

} // namespace riffle
