// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace riffle::tensorboard {

/// What TensorBoard's plugin does otherwise than Riffle, in one of its views.
struct Difference {
    std::string_view view;
    std::string_view figure; ///< key of a row of the overview, or of a column; empty: the whole view
    const char *text;
};

/// THE table of differences: what is told beside figures is what the code of this folder does.
inline constexpr Difference kDifferences[]{
    {"overview", "",
     "The window runs from the first step's begin to the last step's end, steps as TensorBoard has them."},
    {"overview", "step",
     "A step ends when the last of its device work does, and begins where the one before ends. "
     "Copies of steps on streams are steps, too; "
     "the last step is left out when it launched less than 0.8 of what the one before did."},
    {"overview", "kernel",
     "Only nccl's and gloo's broadcast, reduce, all_reduce, all_gather and reduce_scatter communicate. "
     "The first role that the trace has at all is not clipped to what is free."},
    {"overview", "memcpy",
     "Where nothing is left of the steps, what comes next is taken whole, "
     "and all after it begins anew: the parts sum to more than the step."},
    {"overview", "memset", "As with copies."},
    {"overview", "communication", "The operator's time on the host counts beside its kernels'."},
    {"overview", "runtime", "Calls of the driver are none."},
    {"overview", "dataloader", "As with copies."},
    {"overview", "cpu", "Annotations as streams saw them count, too; modules and other Python frames do not."},
    {"overview", "other", "What the roles leave of the steps."},
    {"overview", "computing",
     "Riffle says it of devices. Kernels that TensorBoard does not know as communication; without kernels operators."},
    {"overview", "communicating",
     "Riffle says it of devices. The collectives' operators on the host count beside their kernels."},
    {"overview", "overlap", "Of the two above."},
    {"overview", "neither", "Its own: step + overlap − computation − communication."},
    {"overview", "utilization", "Of another window."},
    {"overview", "sm_efficiency", "Of another window."},
    {"overview", "occupancy", "Of another window."},
    {"overview", "tensor_cores",
     "The list of names ends with Ampere; kernels count that operators launched, wherever they run."},
    {"steps", "", "Steps and roles are those of the overview."},
    {"operators", "",
     "Work belongs to operators by External id. An operator that crosses another is left out, and so is what it "
     "launched. "
     "An only child of the same name is merged, and its parent's own launches are lost. "
     "Recursive calls count twice in totals. Launches by the driver belong to none."},
    {"kernels", "", "Blocks per SM and occupancy: kernels that do not say them count as 0."},
    {"memory", "",
     "What is freed counts for the operator in which that happens. "
     "Calls are those of operators in whose parent memory was allocated or freed at all."},
};

inline const char *differenceOf(std::string_view view, std::string_view figure)
{
    for (const Difference &each : kDifferences)
        if (each.view == view && each.figure == figure)
            return each.text;
    return "";
}

} // namespace riffle::tensorboard
