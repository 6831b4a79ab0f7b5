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
    // For samples: the newest thread state of an interpreter, and the threads that the states belong to, as Python's
    // own number of the thread (pthread_self()) and the system's (0: this version does not have it).
    uint32_t interpreterThreads, threadIdent, threadNative;
};

inline constexpr uint8_t kFrameOfCStack = 3; ///< the owner of a frame that marks a call of the interpreter from C
// The same in all versions that are read.
inline constexpr uint32_t kObjectType = 8, kObjectSize = 16, kTextLength = 16, kTextState = 32, kBytesData = 32;
inline constexpr uint32_t kTextHash = 24, kThreadPrevious = 0, kThreadNext = 8, kThreadInterpreter = 16;

/// The layout of a version, such as 0x030B07F0; null, and a sentence that says why, if its stacks cannot be read.
/// `runtime` is the address of _PyRuntime, whose first bytes are a table of offsets from 3.13 on.
const PythonLayout *pythonLayout(uint64_t version, const void *runtime, const char *&why);
/// The place of the newest thread state in an interpreter; in 3.13 as the table at `runtime` says, since it comes after
/// much else.
uint64_t pythonThreadListOffset(const PythonLayout &layout, const void *runtime);

} // namespace riffle::collector
