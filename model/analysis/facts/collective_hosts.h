// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/collective_calls.h"
#include "model/analysis/facts/slice_classes.h"
#include "model/analysis/facts/slice_reader.h"

#include <vector>

namespace riffle {

/// The slices of the host that show a collective, and which of them belong to the same call.
class CollectiveHosts {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    struct Host {
        uint32_t slice;
        DetailRow<CollectiveTable> detail; ///< none if it has no arguments
        CollectiveSource source;
        uint32_t owner = kNone;  ///< the host that stands for the call; itself, or one around or inside it
        uint32_t range = kNone;  ///< of an owner: the range (an index) inside it, or in which gloo carries it out
        uint32_t inner = kNone;  ///< of an owner: a host with arguments (an index) inside it
        bool runsOnHost = false; ///< is a range of gloo or MPI
        CollectiveKind kind;
        Ns start;
        uint32_t process;
    };
    std::vector<Host> hosts; ///< by slice

    CollectiveHosts(const Trace &trace, const SliceClasses &classes);

    /// The owner of the call that a slice is or is inside of; kNone if there is none.
    uint32_t ownerAround(SliceReader &reader, uint32_t slice) const;
    /// Joins operators without kernels, for which `hasWork` (per host) is false, with the ranges on other threads.
    /// `elements` is per host the size of its message or kNoInt.
    void joinRanges(const std::vector<uint8_t> &hasWork, const std::vector<int64_t> &elements);

private:
    void collect(const Trace &trace, const SliceClasses &classes);
    void nest(const Trace &trace);
    uint32_t find(uint32_t slice) const;
};

/// The name of an operation without the library in front of it: "all_reduce" of "nccl:all_reduce".
std::string_view withoutLibrary(std::string_view name);

} // namespace riffle
