// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/call_tree.h"
#include "model/analysis/facts/role.h"

#include <functional>
#include <span>
#include <vector>

namespace riffle {

/// Kernels, copies and memsets of a trace, by device and then in order of their start (equal starts by slice).
struct DeviceWork {
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<Ns> start, end;
    std::vector<uint32_t> slice;  ///< SliceId
    std::vector<uint32_t> name;   ///< StringId
    std::vector<uint32_t> row;    ///< in Trace::device
    std::vector<uint32_t> launch; ///< SliceId of the runtime call, or none
    std::vector<Ns> launched;     ///< when that began; where there is none, its own start
    /// Call number of the operator that it belongs to: the nearest around its launch; without a launch the one operator
    /// with its External id. kNone where there is none.
    std::vector<uint32_t> operation;
    std::vector<Role> role; ///< Compute, Memcpy, Memset or Communication

    struct Device {
        int32_t number = 0; ///< as the profiler numbers them
        uint32_t first = 0, last = 0;
    };
    std::vector<Device> devices; ///< by ascending number

    /// `calls` is asked for the calls while rows are read.
    DeviceWork(const Trace &trace, const SliceClasses &classes, const std::function<const CallTree &()> &calls);

    size_t size() const { return start.size(); }
    bool empty() const { return start.empty(); }
    Ns duration(size_t at) const { return end[at] - start[at]; }
    TimeSpan span(size_t at) const { return {start[at], end[at]}; }

private:
    void readRows(const Trace &trace, const SliceClasses &classes);
    /// operation, launched, and which kernels communicate.
    void addLaunches(const Trace &trace, const CallTree &calls);
};

} // namespace riffle
