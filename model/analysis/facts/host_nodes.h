// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_work.h"
#include "model/analysis/facts/slice_classes.h"
#include "model/base/big_vector.h"

#include <cstdint>

namespace riffle {

/// The operators, annotations, step marks and waits for data on the threads of a trace, and the device work that was
/// launched inside each. Frames and runtime calls are not nodes; their work belongs to the node around them.
struct HostNodes {
    static constexpr uint32_t kNone = UINT32_MAX;

    BigVector<uint32_t> slice;     ///< SliceId, ordered by position
    BigVector<uint32_t> parent;    ///< the nearest node around it, or kNone
    BigVector<uint32_t> ofWork;    ///< per device work: the nearest node around its launch, or kNone
    BigVector<uint8_t> isOperator; ///< true for Paddle's category Operator; otherwise for the outermost operators

    HostNodes(const Trace &trace, const SliceClasses &classes, const DeviceWork &work);
    size_t size() const { return slice.size(); }
    /// The first node whose slice is at an index of a segment or behind it; the index may be the segment's end.
    uint32_t firstNodeFrom(const Segment &segment, uint32_t index) const
    {
        return firstFrom(slice, m_positions, m_positions.of(segment, index));
    }

private:
    SlicePositions m_positions;
};

} // namespace riffle
