// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_work.h"
#include "model/analysis/facts/slice_classes.h"
#include "model/base/big_vector.h"

#include <algorithm>
#include <cstdint>

namespace riffle {

/// Operators, annotations and similar slices on the threads of a trace, with the device work that was launched inside
/// each. Frames and runtime calls are not nodes; the node around them counts.
struct HostNodes {
    static constexpr uint32_t kNone = UINT32_MAX;

    BigVector<uint32_t> slice;     ///< SliceId, ascending
    BigVector<uint32_t> parent;    ///< the nearest node around it
    BigVector<uint32_t> ofWork;    ///< per device work: the nearest node around its launch
    BigVector<uint8_t> isOperator; ///< for Paddle, the category Operator; otherwise operators outside other operators

    HostNodes(const Trace &trace, const SliceClasses &classes, const DeviceWork &work);
    size_t size() const { return slice.size(); }
    uint32_t firstFrom(uint32_t sliceId) const ///< the first node whose slice is not before `sliceId`
    {
        return static_cast<uint32_t>(std::lower_bound(slice.begin(), slice.end(), sliceId) - slice.begin());
    }
};

} // namespace riffle
