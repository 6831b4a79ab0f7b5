// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/frame_class.h"
#include "model/trace/trace.h"

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// One frame of a call stack, regardless of how it was recorded.
struct StackFrame {
    std::string text;     ///< as recorded
    std::string function; ///< may be empty
    std::string file;     ///< empty if the frame has none
    int line = 0;         ///< 0 if unknown
    FrameClass kind = FrameClass::User;
    SliceId slice; ///< the python_function slice of the frame, if it was recorded as one
};

/// Parses "path.py(12): name" and similar forms, and classifies the frame.
StackFrame parseFrame(std::string_view text);

/// Splits a recorded call stack at ';' and line ends. The frames keep their order, which is innermost first in
/// PyTorch's files.
std::vector<StackFrame> framesOfText(std::string_view callStack);
/// The Python frames that contain a slice, innermost first; for device work, those that contain its launch.
std::vector<StackFrame> framesAround(const Trace &trace, SliceId slice);
/// Returns framesAround(). If there are none, or only calls of modules, returns the frames of the "Call stack" argument
/// of the innermost slice that has one: the slice itself (for device work, its launch) or an operator that contains it.
/// The argument is read from the trace file.
std::vector<StackFrame> stackOf(const Trace &trace, SliceId slice);

} // namespace riffle
