// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/cuda_snapshot/cuda_snapshot.h"

#include <string>

namespace riffle::test {

/// A frame as "function@file:line".
inline std::string frameText(const MemorySnapshot &snapshot, uint32_t frame)
{
    const MemoryFrame &one = snapshot.frames[frame];
    return std::string(snapshot.string(one.name)) + "@" + std::string(snapshot.string(one.file)) + ":" +
           std::to_string(one.line);
}

/// The frames of a stack, the innermost first.
inline std::string stackText(const MemorySnapshot &snapshot, uint32_t stack)
{
    std::string text;
    for (const uint32_t frame : snapshot.stacks.at(stack))
        text += (text.empty() ? "" : " < ") + frameText(snapshot, frame);
    return text;
}

} // namespace riffle::test
