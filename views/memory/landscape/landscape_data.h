// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/layout/landscape.h"
#include "model/layout/level_graph.h"
#include "model/layout/slot_axis.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// A range that the program named, or a point if only its start or end is known.
struct LandscapeMark {
    std::string name;
    int64_t begin = 0, end = 0; ///< Unix nanoseconds
    int row = 0;                ///< marks of one row do not overlap
};

/// Assigns rows to marks, which must be ordered by start.
void stackMarks(std::vector<LandscapeMark> &marks);

/// The data from which the landscape of one device is drawn, independent of the view. Computed once, outside the GUI
/// thread.
struct LandscapeData {
    std::shared_ptr<const SnapshotFacts> facts;
    size_t device = 0; ///< row of replay().devices
    LandscapeColumns columns;
    LevelGraph levels;
    /// The times of all events, ascending; empty if they cannot form an axis, and `noTimes` says why.
    std::span<const int64_t> times;
    std::string noTimes;
    std::vector<LandscapeMark> marks; ///< ordered by start; only if there are times

    const DeviceReplay &replay() const { return facts->replay().devices[device]; }
    uint32_t slotOf(uint32_t event) const;
    /// The event after which the slot shows the state; kNone for slot 0.
    uint32_t eventOf(uint32_t slot) const;
};

std::shared_ptr<const LandscapeData> makeLandscapeData(std::shared_ptr<const SnapshotFacts> facts, size_t device,
                                                       const Task &task);

} // namespace riffle
