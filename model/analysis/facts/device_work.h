// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/call_tree.h"
#include "model/analysis/facts/role.h"
#include "model/base/big_vector.h"

#include <cassert>
#include <functional>
#include <span>
#include <vector>

namespace riffle {

/// The kernels, copies and memsets of a trace, sorted by device, then by start, then by slice.
struct DeviceWork {
    static constexpr uint32_t kNone = UINT32_MAX;

    BigVector<Ns> start, end;
    BigVector<uint32_t> slice;                ///< SliceId
    BigVector<uint32_t> name;                 ///< StringId
    BigVector<DetailRow<DeviceTable>> detail; ///< its row in the side table of its segment
    BigVector<uint32_t> launch;               ///< SliceId of the runtime call, or kNone
    BigVector<Ns> launched;                   ///< the start of the launch; if there is none, the work's own start
    /// The call number of the operator that the work belongs to: the nearest operator around its launch; without a
    /// launch, the only operator with its External id. kNone if there is none.
    BigVector<uint32_t> operation;
    BigVector<Role> role; ///< Compute, Memcpy, Memset or Communication

    struct Device {
        int32_t number = 0; ///< the profiler's number of the device
        uint32_t first = 0, last = 0;
    };
    std::vector<Device> devices; ///< by ascending number

    /// `calls` returns the call tree. It may have to build the tree, which happens in parallel with the reading of
    /// rows.
    DeviceWork(const Trace &trace, const SliceClasses &classes, const std::function<const CallTree &()> &calls);

    size_t size() const { return start.size(); }
    bool empty() const { return start.empty(); }
    Ns duration(size_t at) const
    {
        assert(at < size());
        return end[at] - start[at];
    }
    TimeSpan span(size_t at) const
    {
        assert(at < size());
        return {start[at], end[at]};
    }

private:
    void readRows(const Trace &trace, const SliceClasses &classes);
    /// Fills `operation` and `launched`, and decides which kernels communicate.
    void addLaunches(const Trace &trace, const CallTree &calls);
};

} // namespace riffle
