// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_work.h"
#include "model/analysis/facts/slice_classes.h"
#include "model/base/big_vector.h"

#include <algorithm>
#include <cstdint>

namespace riffle {

/// The operators, annotations, step marks and waits for data on the threads of a trace, and the device work that was
/// launched inside each. Frames and runtime calls are not nodes; their work belongs to the node around them.
struct HostNodes {
    static constexpr uint32_t kNone = UINT32_MAX;

    BigVector<uint32_t> slice;     ///< SliceId, ascending
    BigVector<uint32_t> parent;    ///< the nearest node around it, or kNone
    BigVector<uint32_t> ofWork;    ///< per device work: the nearest node around its launch, or kNone
    BigVector<uint8_t> isOperator; ///< true for Paddle's category Operator; otherwise for the outermost operators

    HostNodes(const Trace &trace, const SliceClasses &classes, const DeviceWork &work);
    size_t size() const { return slice.size(); }
    uint32_t firstFrom(uint32_t sliceId) const ///< the first node whose slice is not before `sliceId`
    {
        return static_cast<uint32_t>(std::lower_bound(slice.begin(), slice.end(), sliceId) - slice.begin());
    }
};

} // namespace riffle
