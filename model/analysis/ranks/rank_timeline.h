// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/trace_facts.h"
#include "model/analysis/ranks/call_list.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// A step of a rank on its devices: from the end of all work launched up to the step before to the end of all work
/// launched up to this one, in ns of the rank's own clock. The first one, and one that does not follow the one before,
/// begins with its first device work.
struct DeviceStep {
    int64_t number = 0; ///< as in the name of its mark
    Ns begin = 0, end = 0;
    uint32_t mark = 0; ///< SliceId of the mark
};

/// The part of a rank's recording that tells who waits for whom (docs/stragglers.md).
struct RankTimeline {
    const CallList *calls = nullptr; ///< must outlive this
    std::vector<uint8_t> blocks;     ///< per call: 1 if some of its time is exposed
    std::vector<DeviceStep> steps;   ///< ascending; with gaps where steps or device work are missing between them
};

/// `calls` are those of the same trace. Steps that never ended or that the recording cuts are left out.
RankTimeline rankTimelineOf(const TraceFacts &facts, const CallList &calls);

/// A step of a run: those of its ranks with the same number. If a number occurs several times on a rank, the first ones
/// belong together, then the second ones.
struct RunStep {
    struct Part {
        uint32_t rank = 0; ///< index into the timelines
        DeviceStep step;
    };
    int64_t number = 0;
    std::vector<Part> parts; ///< in the order of the timelines

    const Part &slowest() const; ///< the longest one; of equal ones, the first
};

/// The steps that at least two ranks have, by number.
std::vector<RunStep> runStepsOf(std::span<const RankTimeline> ranks);

} // namespace riffle
