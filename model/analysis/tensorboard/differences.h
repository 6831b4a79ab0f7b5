// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace riffle::tensorboard {

/// Something that TensorBoard's plugin does differently from Riffle in one of its views.
struct Difference {
    std::string_view view;
    std::string_view figure; ///< key of a row of the overview, or of a column; empty for the whole view
    const char *text;
};

/// All differences. The texts are shown beside the figures, and describe what the code in this folder does.
inline constexpr Difference kDifferences[]{
    {"overview", "",
     "The window runs from the start of the first step to the end of the last, with TensorBoard's steps."},
    {"overview", "step",
     "A step ends when the last of its device work does, and starts where the previous step ends. "
     "Copies of steps on streams are steps, too. "
     "The last step is left out if it launched less than 0.8 times as much as the one before."},
    {"overview", "kernel",
     "Only broadcast, reduce, all_reduce, all_gather and reduce_scatter of nccl and gloo are communication. "
     "The first role that the trace has is not clipped to the time that is left."},
    {"overview", "memcpy",
     "When nothing is left of the steps, the next role counts with its whole time, "
     "and the rest starts over with the whole steps: the parts sum to more than the step."},
    {"overview", "memset", "The same as for copies."},
    {"overview", "communication", "The operator's time on the host counts in addition to its kernels' time."},
    {"overview", "runtime", "Driver calls do not count."},
    {"overview", "dataloader", "The same as for copies."},
    {"overview", "cpu", "Copies of annotations on streams count, too; modules and other Python frames do not."},
    {"overview", "other", "The part of the steps that no role takes."},
    {"overview", "computing",
     "Riffle has this figure for each device. It is the time of kernels that TensorBoard does not know as "
     "communication, or of operators if there are no kernels."},
    {"overview", "communicating",
     "Riffle has this figure for each device. The collectives' operators on the host count in addition to their "
     "kernels."},
    {"overview", "overlap", "The overlap of the two figures above."},
    {"overview", "neither", "Only TensorBoard has it: step + overlap − computation − communication."},
    {"overview", "utilization", "The window is a different one."},
    {"overview", "sm_efficiency", "The window is a different one."},
    {"overview", "occupancy", "The window is a different one."},
    {"overview", "tensor_cores",
     "The list of names ends with Ampere. Kernels count if operators launched them, wherever they run."},
    {"steps", "", "Steps and roles are those of the overview."},
    {"operators", "",
     "Work belongs to operators by External id. An operator that crosses another is left out, with the work that it "
     "launched. An only child of the same name is merged into its parent, whose own launches are lost. "
     "Recursive calls count twice in totals. Launches by driver calls belong to no operator."},
    {"kernels", "", "Blocks per SM and occupancy: kernels that do not record them count as 0."},
    {"memory", "",
     "Freed memory counts for the operator that frees it. "
     "A call only counts if it has no parent, or if memory was allocated or freed in its parent."},
};

inline const char *differenceOf(std::string_view view, std::string_view figure)
{
    for (const Difference &each : kDifferences)
        if (each.view == view && each.figure == figure)
            return each.text;
    return "";
}

} // namespace riffle::tensorboard
