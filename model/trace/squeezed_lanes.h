// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/trace/per_trace.h"
#include "model/trace/trace.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace riffle {

/// The drawing of a lane in which some slices are left out and the others move up into fewer rows. Slices have numbers
/// of their own here, because the rows have another order.
struct SqueezedLane {
    uint32_t rows = 0;
    std::vector<Segment> segments; ///< in time order; firstSlice and what follows from it are numbers
    uint32_t firstNumber = 0;      ///< numbers count through all squeezed lanes of a trace
    BigVector<uint32_t> slices;    ///< SliceId per number, from firstNumber on

    SliceId sliceOf(uint32_t number) const
    {
        assert(number >= firstNumber && number - firstNumber < slices.size());
        return SliceId(slices[number - firstNumber]);
    }
    struct Place {
        const Segment *segment;
        uint32_t at; ///< index inside the segment
    };
    /// Finds a slice of the lane, which starts at `start`; none if it is left out.
    std::optional<Place> find(SliceId slice, Ns start) const;
};

/// The squeezed lanes of a trace.
struct SqueezedLanes {
    std::vector<std::optional<SqueezedLane>> lanes; ///< by LaneId; none for lanes that are drawn whole

    /// Null for a lane that is drawn whole.
    const SqueezedLane *of(LaneId lane) const
    {
        return lane.value < lanes.size() && lanes[lane.value] ? &*lanes[lane.value] : nullptr;
    }
};

/// Null for traces whose squeezed lanes are not known yet.
using SetSqueezedLanes = PerTrace<std::shared_ptr<const SqueezedLanes>>;

} // namespace riffle
