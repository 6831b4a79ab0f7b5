// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace riffle {

/// Whose code a frame runs: the user's, an installed library's, PyTorch's, or the runtime's, which is the interpreter,
/// Python's standard library and native code.
enum class FrameClass : uint8_t { User, Library, Torch, Runtime };

/// Judges by the path as it was recorded, with slashes or backslashes: whole, or from an entry of Python's search path
/// on, as PyTorch's profiler and Riffle's recorder shorten it ("torch/_tensor.py"). A path in no known library is the
/// user's.
FrameClass classifyFrame(std::string_view file, std::string_view function);

/// The parts of a frame's text; views of it.
struct FrameText {
    std::string_view file; ///< empty if the frame has none
    int line = 0;          ///< 0 if unknown
    std::string_view function;
};

/// Splits "path.py(12): name" and similar forms.
FrameText splitFrame(std::string_view text);

} // namespace riffle
