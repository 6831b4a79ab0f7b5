// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <vector>

namespace riffle {

/// The slices that a slice is connected to, up and down the path Python frame → operator → launch → device work.
struct SliceLinks {
    SliceId launch;                ///< the call that launched the slice, or the slice itself if it launched device work
    SliceId operation;             ///< the operator that the launch or slice is, or the nearest one around it
    SliceId frame;                 ///< the nearest Python frame around it
    SliceId module;                ///< the nearest "nn.Module: …" frame around it
    bool throughForward = false;   ///< true for backward work whose frame and module are those of the forward operator
    SliceId forward;               ///< the forward operator of a backward operator
    std::vector<SliceId> backward; ///< the backward operators of a forward operator
    std::vector<SliceId>
        deviceWork;               ///< the first work launched by the slice or by anything inside it, in order of launch
    uint64_t deviceWorkCount = 0; ///< the number of all such work
    Ns deviceTime = 0;            ///< the sum of the durations of all such work
};

/// The links of one slice; `deviceLimit` limits the list, not the count.
SliceLinks linksOf(const Trace &trace, SliceId slice, size_t deviceLimit = 200);

bool isOperator(const Slice &slice);
bool isPythonFrame(const Slice &slice);
/// True for the call of a module ("nn.Module: Linear_0") rather than of a function.
bool isModuleCall(const Trace &trace, const Slice &slice);

} // namespace riffle
