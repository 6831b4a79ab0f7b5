// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <vector>

namespace riffle {

/// What a slice is connected with, up and down the path Python frame → operator → launch → device work.
struct SliceLinks {
    SliceId launch;                ///< the runtime or driver call: of a kernel, or the slice itself
    SliceId operation;             ///< the nearest operator around the launch or slice
    SliceId frame;                 ///< the nearest Python frame around it
    SliceId module;                ///< the nearest "nn.Module: …" frame around it
    bool throughForward = false;   ///< frame and module are those of the forward operator: the slice is backward work
    SliceId forward;               ///< of a backward operator: its forward operator
    std::vector<SliceId> backward; ///< of a forward operator: its backward operators
    std::vector<SliceId>
        deviceWork; ///< launched by the slice or by anything inside it, in order of launch; the first ones
    uint64_t deviceWorkCount = 0; ///< how many there are in all
    Ns deviceTime = 0;            ///< their summed duration
};

/// Links of one slice; `deviceLimit` bounds the list, not the count.
SliceLinks linksOf(const Trace &trace, SliceId slice, size_t deviceLimit = 200);

bool isOperator(const Slice &slice);
bool isPythonFrame(const Slice &slice);
/// "nn.Module: Linear_0" is a call of a module, not of a function.
bool isModuleCall(const Trace &trace, const Slice &slice);

} // namespace riffle
