// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_work.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The steps of a trace (R1), in order of time and without overlap. They come from marks of the host (PyTorch's
/// ProfilerStep#N, Paddle's ProfileStep), or from the slices with a name that the user chose. If there are none, there
/// is one step "all".
struct StepSet {
    static constexpr uint32_t kNone = UINT32_MAX;

    struct Step {
        int64_t number = 0;
        std::string name;
        TimeSpan host;     ///< the span of the mark; if it has no end, up to the next step or the end of the trace
        TimeSpan device;   ///< from the first start to the last end of its device work; empty if there is none
        SliceId slice;     ///< the mark; invalid for "all"
        uint64_t work = 0; ///< the number of kernels, copies and memsets
        bool ended = true; ///< false if the mark has no end, so that the step's length means nothing (R14)
    };
    std::vector<Step> steps;
    BigVector<uint32_t> ofWork; ///< per device work: the step in which it was launched or, without a launch, started
    bool marked = false;        ///< false if there is only the step "all"
    bool onDevice = false;    ///< true if annotations on a stream mark the steps; work belongs to the one it starts in
    uint64_t overlapping = 0; ///< the number of marks that are left out because they overlap others
    bool ofPart = false;      ///< true if the trace was read in part, so that its first step is unknown

    /// `mark` is the name of the slices that are steps (stepsMarkedBy); empty for the profiler's own marks.
    StepSet(const Trace &trace, const DeviceWork &work, std::string_view mark = {});

    /// [first step's start, last step's end): the window of figures about devices.
    TimeSpan window() const
    {
        return steps.empty() ? TimeSpan{} : TimeSpan{steps.front().host.begin, steps.back().host.end};
    }
    /// The step whose span contains a time, or kNone.
    uint32_t at(Ns time) const;
    uint64_t unfinished() const; ///< the number of steps that never ended
    /// firstIsFarLonger() of the steps that ended; false for a part, whose first step is unknown.
    bool firstIsOutlier() const;
};

} // namespace riffle
