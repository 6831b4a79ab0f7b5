// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/trace/trace_set.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// The place of a slice in a program, by which the same slice can be found in another step, rank or run. It needs no
/// clock and no facts.
struct CallPlace {
    /// The step in which the slice starts; of device work, that in which its launch starts. Nothing outside of steps.
    struct InStep {
        uint32_t offset = 0; ///< from the trace's first step
        int64_t number = 0;
    };
    std::optional<InStep> step;
    /// The names of what is around the slice in its step, outermost first, and its own name, as shapeName() gives them:
    /// annotations, calls of modules, operators. Python frames are left out, so that a trace without stacks has the
    /// same paths. Device work is inside what is around its launch; without one, inside its stream.
    std::vector<std::string> path;
    uint32_t occurrence = 0; ///< how many slices with this path are before it in the step, on all threads like its own
    bool isOnStream = false; ///< on a stream, such as a kernel
    bool isLaunched = false; ///< of what is on a stream: its launch was recorded
    std::string thread;      ///< threadShapeName() of its lane or, if marks of steps are there, "main thread"
};

/// Which step of the other trace is the same one: the one as far from the first, or the one with the same number, which
/// is right for ranks of one run.
enum class SameStepBy : uint8_t { Offset, Number };

/// Returns the place of a slice. `steps` are those of the trace (Trace::steps, or stepsMarkedBy() of the host). An
/// Error says that there is no such slice.
Result<CallPlace> callPlaceOf(const Trace &trace, std::span<const Step> steps, SliceId slice);

/// Returns the slice of a trace that has the place; an Error says as a sentence why there is none. If no thread of the
/// trace has a name like the place's, all threads count.
Result<SliceId> sliceAtPlace(const Trace &trace, std::span<const Step> steps, const CallPlace &place,
                             SameStepBy by = SameStepBy::Offset);

/// The same slice in the next (1) or previous (-1) loaded member of a set, counted around the end; a member that does
/// not have it is passed over. Ranks of one run have the same step by its number, other traces by how far it is from
/// the first. In a set of one member, the same slice in its next or previous step. An Error says why there is none.
Result<SliceRef> sameSliceElsewhere(const TraceSet &set, const PerTrace<std::vector<Step>> &steps, SliceRef from,
                                    int direction);

} // namespace riffle
