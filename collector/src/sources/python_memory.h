// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/python_layout.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

namespace riffle::collector {

using PythonAddress = const std::byte *;

/// Reads where the interpreter's own rules say that the memory is valid.
struct DirectMemory {
    template <typename T>
    static T read(PythonAddress from)
    {
        T value;
        std::memcpy(&value, from, sizeof(T));
        return value;
    }
};

/// Reads memory that may not be there, as zero then. A system call per value: for the check at the start only.
struct CheckedMemory {
    template <typename T>
    static T read(PythonAddress from)
    {
        T value{};
        iovec to{&value, sizeof(T)}, source{const_cast<std::byte *>(from), sizeof(T)};
        if (process_vm_readv(getpid(), &to, 1, &source, 1, 0) != sizeof(T))
            value = T{};
        return value;
    }
};

/// A frame of Python: the code object that it runs, and where in it. Only the thread that runs the frame may use them.
struct PythonFrame {
    PythonAddress code;
    uint64_t instruction; ///< address of an instruction; 3.10: index of it
};

inline constexpr uint32_t kMaxPythonFrames = 256;      ///< the innermost ones are recorded, the others are counted
inline constexpr uint32_t kMaxCountedFrames = 1 << 16; ///< beyond which they are not even counted

/// Walks the frames of the calling thread, the innermost first, and returns their number. sys._getframe() and f_back
/// on this thread would follow the same pointers: the thread is inside a call from its innermost frame, so that no
/// frame of the chain can continue or end, and each of them holds a reference to its code object.
template <typename Memory>
uint32_t walkPythonFrames(const PythonLayout &layout, PythonAddress threadState,
                          std::array<PythonFrame, kMaxPythonFrames> &frames)
{
    auto frame = Memory::template read<PythonAddress>(threadState + layout.threadFrame);
    if (layout.throughCFrame && frame)
        frame = Memory::template read<PythonAddress>(frame + layout.cframeFrame);
    uint32_t count = 0;
    for (; frame && count < kMaxCountedFrames;
         frame = Memory::template read<PythonAddress>(frame + layout.framePrevious)) {
        if (layout.frameOwner && Memory::template read<uint8_t>(frame + layout.frameOwner) >= kFrameOfCStack)
            continue;
        if (count < kMaxPythonFrames) {
            const PythonAddress instruction = frame + layout.frameInstruction;
            frames[count] = {Memory::template read<PythonAddress>(frame + layout.frameCode),
                             layout.instructionIsIndex ? Memory::template read<uint32_t>(instruction)
                                                       : Memory::template read<uint64_t>(instruction)};
        }
        ++count;
    }
    return count;
}

/// The place of a frame in its code, in bytes from the first instruction.
inline uint32_t instructionOffset(const PythonLayout &layout, const PythonFrame &frame)
{
    if (layout.instructionIsIndex)
        return static_cast<uint32_t>(frame.instruction) * 2;
    return static_cast<uint32_t>(frame.instruction - reinterpret_cast<uint64_t>(frame.code + layout.codeInstructions));
}

} // namespace riffle::collector
