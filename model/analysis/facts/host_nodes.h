// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_work.h"
#include "model/analysis/facts/slice_classes.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace riffle {

/// Operators, annotations and their like on the threads of a trace, with the device work that was launched inside each.
/// Frames and runtime calls are none: what they are in counts.
struct HostNodes {
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<uint32_t> slice;     ///< SliceId, ascending
    std::vector<uint32_t> parent;    ///< the nearest node around it
    std::vector<uint32_t> ofWork;    ///< by device work: the nearest node around its launch
    std::vector<uint8_t> isOperator; ///< Paddle's Operator; elsewhere operators in no other operator

    HostNodes(const Trace &trace, const SliceClasses &classes, const DeviceWork &work);
    size_t size() const { return slice.size(); }
    uint32_t firstFrom(uint32_t sliceId) const ///< the first node whose slice is not before this one
    {
        return static_cast<uint32_t>(std::lower_bound(slice.begin(), slice.end(), sliceId) - slice.begin());
    }
};

} // namespace riffle
