// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_layout.h"

#include <cstddef>
#include <cstring>

namespace riffle::collector {

namespace {

constexpr PythonLayout k310{.threadFrame = 24,
                            .threadProfile = 56,
                            .throughCFrame = false,
                            .cframeFrame = 0,
                            .frameCode = 32,
                            .framePrevious = 24,
                            .frameInstruction = 96,
                            .instructionIsIndex = true,
                            .frameOwner = 0,
                            .codeConstants = 56,
                            .codeFirstLine = 40,
                            .codeVersion = 0,
                            .codeFile = 104,
                            .codeName = 112,
                            .codeQualifiedName = 0,
                            .codeLineTable = 120,
                            .codeInstructions = 0,
                            .asciiHeader = 48,
                            .compactHeader = 72,
                            .interpreterThreads = 8,
                            .threadIdent = 176,
                            .threadNative = 0};

constexpr PythonLayout k311{.threadFrame = 56,
                            .threadProfile = 64,
                            .throughCFrame = true,
                            .cframeFrame = 8,
                            .frameCode = 32,
                            .framePrevious = 48,
                            .frameInstruction = 56,
                            .instructionIsIndex = false,
                            .frameOwner = 69,
                            .codeConstants = 24,
                            .codeFirstLine = 72,
                            .codeVersion = 0,
                            .codeFile = 112,
                            .codeName = 120,
                            .codeQualifiedName = 128,
                            .codeLineTable = 136,
                            .codeInstructions = 184,
                            .asciiHeader = 48,
                            .compactHeader = 72,
                            .interpreterThreads = 16,
                            .threadIdent = 152,
                            .threadNative = 160};

constexpr PythonLayout k312{.threadFrame = 56,
                            .threadProfile = 64,
                            .throughCFrame = true,
                            .cframeFrame = 0,
                            .frameCode = 0,
                            .framePrevious = 8,
                            .frameInstruction = 56,
                            .instructionIsIndex = false,
                            .frameOwner = 70,
                            .codeConstants = 24,
                            .codeFirstLine = 68,
                            .codeVersion = 92,
                            .codeFile = 112,
                            .codeName = 120,
                            .codeQualifiedName = 128,
                            .codeLineTable = 136,
                            .codeInstructions = 192,
                            .asciiHeader = 40,
                            .compactHeader = 56,
                            .interpreterThreads = 72,
                            .threadIdent = 136,
                            .threadNative = 144};

constexpr PythonLayout k313{.threadFrame = 72,
                            .threadProfile = 80,
                            .throughCFrame = false,
                            .cframeFrame = 0,
                            .frameCode = 0,
                            .framePrevious = 8,
                            .frameInstruction = 56,
                            .instructionIsIndex = false,
                            .frameOwner = 70,
                            .codeConstants = 24,
                            .codeFirstLine = 68,
                            .codeVersion = 92,
                            .codeFile = 112,
                            .codeName = 120,
                            .codeQualifiedName = 128,
                            .codeLineTable = 136,
                            .codeInstructions = 200,
                            .asciiHeader = 40,
                            .compactHeader = 56,
                            .interpreterThreads = 7344,
                            .threadIdent = 152,
                            .threadNative = 160};

/// The table at the start of _PyRuntime in 3.13, as far as it is read.
struct DebugOffsets {
    char cookie[8];
    uint64_t version, freeThreaded;
    uint64_t runtime[3];
    struct {
        uint64_t size, id, next, threads, rest[9];
    } interpreter;
    struct {
        uint64_t size, prev, next, interp, frame, ident, native, rest[2];
    } thread;
    struct {
        uint64_t size, previous, executable, instruction, locals, owner;
    } frame;
    struct {
        uint64_t size, file, name, qualifiedName, lineTable, firstLine, rest[3], instructions;
    } code;
    struct {
        uint64_t size, type;
    } object;
};

/// Where the table lacks a field (the version of a code object), ours is used; so all that both know must be equal.
bool agrees(const PythonLayout &layout, const DebugOffsets &offsets)
{
    return offsets.thread.next == kThreadNext && offsets.thread.interp == kThreadInterpreter &&
           offsets.thread.ident == layout.threadIdent && offsets.thread.native == layout.threadNative &&
           offsets.thread.frame == layout.threadFrame && offsets.frame.previous == layout.framePrevious &&
           offsets.frame.executable == layout.frameCode && offsets.frame.instruction == layout.frameInstruction &&
           offsets.frame.owner == layout.frameOwner && offsets.code.file == layout.codeFile &&
           offsets.code.name == layout.codeName && offsets.code.qualifiedName == layout.codeQualifiedName &&
           offsets.code.lineTable == layout.codeLineTable && offsets.code.firstLine == layout.codeFirstLine &&
           offsets.code.instructions == layout.codeInstructions && offsets.object.type == kObjectType;
}

} // namespace

const PythonLayout *pythonLayout(uint64_t version, const void *runtime, const char *&why)
{
    switch (version >> 16) {
    case 0x030A: return &k310;
    case 0x030B:
        // Before 3.11.2 frames that are being torn down can still be linked.
        if ((version >> 8 & 0xFF) >= 2)
            return &k311;
        why = "Python stacks are not recorded: Python 3.11 has them from 3.11.2 on.";
        return nullptr;
    case 0x030C: return &k312;
    case 0x030D: {
        DebugOffsets offsets;
        std::memcpy(&offsets, runtime, sizeof(offsets));
        if (std::memcmp(offsets.cookie, "xdebugpy", 8) != 0 || offsets.version >> 16 != 0x030D) {
            why = "Python stacks are not recorded: this Python does not say where it keeps its frames.";
            return nullptr;
        }
        if (offsets.freeThreaded) {
            why = "Python stacks are not recorded: this Python runs without a global lock.";
            return nullptr;
        }
        if (agrees(k313, offsets))
            return &k313;
        why = "Python stacks are not recorded: this Python keeps its frames in an unknown way.";
        return nullptr;
    }
    default: why = "Python stacks are not recorded: Riffle reads those of Python 3.10 to 3.13."; return nullptr;
    }
}

uint64_t pythonThreadListOffset(const PythonLayout &layout, const void *runtime)
{
    if (&layout != &k313)
        return layout.interpreterThreads;
    DebugOffsets offsets;
    std::memcpy(&offsets, runtime, sizeof(offsets));
    return offsets.interpreter.threads;
}

} // namespace riffle::collector
