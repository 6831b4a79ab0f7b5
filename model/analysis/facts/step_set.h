// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_work.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The steps of a trace (R1), in order of time and without overlap: from marks of the host (PyTorch's ProfilerStep#N,
/// Paddle's ProfileStep), or from the slices of a name that the user chose. Without any, one step "all".
struct StepSet {
    static constexpr uint32_t kNone = UINT32_MAX;

    struct Step {
        int64_t number = 0;
        std::string name;
        TimeSpan host;
        TimeSpan device;   ///< first start to last end of its device work; empty without any
        SliceId slice;     ///< the mark; invalid for "all"
        uint64_t work = 0; ///< how many kernels, copies and memsets
    };
    std::vector<Step> steps;
    std::vector<uint32_t>
        ofWork;               ///< by device work: its step, by its launch's start, or its own where no launch is known
    bool marked = false;      ///< false: the one step "all"
    uint64_t overlapping = 0; ///< marks left out because they overlap others
    bool ofPart = false;      ///< the trace was read in part: which step was its first is not known

    /// `mark`: name of the slices of the host that are steps (stepsMarkedBy); empty for the profilers' own marks.
    StepSet(const Trace &trace, const DeviceWork &work, std::string_view mark = {});

    /// [first step's start, last step's end): the window of figures about devices.
    TimeSpan window() const
    {
        return steps.empty() ? TimeSpan{} : TimeSpan{steps.front().host.begin, steps.back().host.end};
    }
    /// The step whose span holds a time, or kNone.
    uint32_t at(Ns time) const;
    /// firstIsFarLonger() of these; a part has no first step.
    bool firstIsOutlier() const;
};

} // namespace riffle
