// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace riffle::collector {

/// Where CPython keeps what a walk of the frames reads, as offsets in bytes. CPython changes its structs only from one
/// minor version to the next.
struct PythonLayout {
    // The thread state points to the innermost frame, in 3.11 and 3.12 by way of a _PyCFrame.
    uint32_t threadFrame;
    uint32_t threadProfile; ///< the thread's profile function
    bool throughCFrame;
    uint32_t cframeFrame;
    // A frame (3.10: a frame object).
    uint32_t frameCode, framePrevious, frameInstruction;
    bool instructionIsIndex; ///< 3.10: an int that counts instructions of 2 bytes; later: a pointer to one
    uint32_t frameOwner;     ///< 0: there is none
    // A code object; 0: this version does not have the field.
    uint32_t codeConstants, codeFirstLine, codeVersion, codeFile, codeName, codeQualifiedName, codeLineTable;
    uint32_t codeInstructions;
    // Texts and bytes: the sizes of the headers of compact texts, with characters of ASCII alone and others.
    uint32_t asciiHeader, compactHeader;
};

inline constexpr uint8_t kFrameOfCStack = 3; ///< the owner of a frame that marks a call of the interpreter from C
// The same in all versions that are read.
inline constexpr uint32_t kObjectType = 8, kObjectSize = 16, kTextLength = 16, kTextState = 32, kBytesData = 32;

/// The layout of a version, such as 0x030B07F0; null, and a sentence that says why, if its stacks cannot be read.
/// `runtime` is the address of _PyRuntime, whose first bytes are a table of offsets from 3.13 on.
const PythonLayout *pythonLayout(uint64_t version, const void *runtime, const char *&why);

} // namespace riffle::collector
