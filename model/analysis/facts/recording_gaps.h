// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/interval_set.h"
#include "model/trace/trace.h"

#include <string>
#include <vector>

namespace riffle {

/// Times in which something was not recorded although the recording went on: device work, because everything was paused
/// or another profiler had its source, or the operators of a thread. They are known only from Riffle's logs.
struct RecordingGaps {
    struct Gap {
        TimeSpan span;
        SliceId slice; ///< its name is the reason
        LaneId lane;   ///< its tid is the source
    };
    std::vector<Gap> gaps;   ///< those of device work, in order of their starts; they may overlap
    std::vector<Gap> onHost; ///< the others, by lane
    IntervalSet times;       ///< the union of `gaps`: neither idle nor busy

    RecordingGaps() = default;
    explicit RecordingGaps(const Trace &trace);
};

class Scope;

/// Says, in sentences, how much of the scope's time is not recorded, and why; empty if all of it is.
std::string notRecordedNote(const Scope &scope);

} // namespace riffle
