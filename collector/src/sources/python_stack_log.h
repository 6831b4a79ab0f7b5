// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/python_codes.h"
#include "collector/src/sources/python_runtime.h"

#include <string_view>

namespace riffle::collector {

/// The parts of a code object that are written when it is first seen. The texts are valid during the call only.
struct PythonCodeText {
    uint32_t id;
    int32_t firstLine;
    std::string_view name, qualifiedName, file; ///< before 3.11 the qualified name is the name
    std::span<const std::byte> lineTable;       ///< in the format of the version
};

/// A frame of a stack that is written.
struct PythonPlace {
    uint32_t code;   ///< id
    uint32_t offset; ///< of its instruction, in bytes
};

/// Where stacks are written. Both return false if there is no room; then nothing of it was written.
class PythonStackSink {
public:
    virtual bool code(const PythonCodeText &text) = 0;
    /// The stack of the thread is from now on: `kept` outermost frames of the one before, of which the first
    /// `omitted` are not known, and then these.
    virtual bool stack(uint32_t kept, uint32_t omitted, std::span<const PythonPlace> frames) = 0;

protected:
    ~PythonStackSink() = default;
};

/// From now on all threads write all code objects again, with new ids. Any thread may call it.
void forgetPythonCodes();

/// One thread's stack as it was written last. Only what has changed since is written again.
class PythonStackLog {
public:
    enum Result { kSame, kChanged, kNone, kLost };
    /// Walks the calling thread's frames and writes what has changed. kNone: the thread has no frames, or walks are
    /// off. kLost: there was no room; the next stack is written in full.
    Result take(PythonRuntime &runtime, PythonStackSink &sink);
    uint32_t depth() const { return m_depth; } ///< of the stack that was written last

private:
    struct Written {
        PythonFrame frame;
        uint64_t mark;
        uint32_t id;
    };
    Result write(const PythonRuntime &runtime, PythonStackSink &sink, uint32_t depth);
    bool define(const PythonRuntime &runtime, PythonStackSink &sink, PythonAddress code, uint32_t &id);

    PythonCodes m_codes;
    std::array<PythonFrame, kMaxPythonFrames> m_seen; ///< of this walk, the innermost first
    std::array<Written, kMaxPythonFrames> m_written;  ///< the frame of depth d, from the outermost, is at d modulo size
    std::array<PythonPlace, kMaxPythonFrames> m_places;
    uint32_t m_epoch = 0;
    uint32_t m_depth = 0, m_omitted = 0; ///< frames from m_omitted to m_depth are in m_written
    char m_text[3][4096];
};

} // namespace riffle::collector
